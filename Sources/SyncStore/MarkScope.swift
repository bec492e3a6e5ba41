/// What a `CommitMark` covers.
package enum MarkScope: Sendable, Hashable {
    /// Everything that is stored for a project.
    case project(String)
    /// The projects that a user is a member of, and their rows.
    case user(Int64)
    /// The numbers of all commits.
    case numbers
    /// Everything that decides who a credential speaks for. The mark may stay the same after a commit that only adds,
    /// for example a new token, so a result of nil must not be cached under it.
    case accounts
}
