/// What a `CommitMark` is of.
package enum MarkScope: Sendable, Hashable {
    /// All that is stored of a project.
    case project(String)
    /// The projects that a user is a member of, and their rows.
    case user(Int64)
    /// What tells whom a credential speaks for. Its mark may stay the same after commits that took nothing from any
    /// user, token or session.
    case accounts
}
