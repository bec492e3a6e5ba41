/// What a replica holds and a remote serves.
public enum SyncScope: Sendable, Hashable {
    /// One project, by its id.
    case project(String)
    /// All projects that the user is a member of.
    case allProjects

    /// The project's id; nil for all projects.
    public var project: String? {
        switch self {
        case .project(let id): id
        case .allProjects: nil
        }
    }
}
