/// Which projects a listener hears of.
package enum FeedScope: Sendable, Hashable {
    /// Those in which the caller has or had a membership; with a set, only those of them. A loss is the last that is
    /// heard of a project.
    case memberships(Set<String>?)
    /// One project. A superuser hears of it without a membership, because a superuser can pull it.
    case project(String)

    /// Whether a listener with this scope listens to the project.
    func includes(_ project: String) -> Bool {
        switch self {
        case .memberships(nil): true
        case .memberships(let projects?): projects.contains(project)
        case .project(let id): id == project
        }
    }
}
