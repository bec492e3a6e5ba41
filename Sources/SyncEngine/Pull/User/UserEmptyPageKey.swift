/// A user-wide request whose answer stays the same until the next commit to one of the user's projects.
struct UserEmptyPageKey: Hashable, Sendable {
    let request: UserPullRequest
    let user: Int64
    let isPacked: Bool
    /// Whether the answer is kept under the mark of all commits instead of the user's. The two can't be compared.
    let isOfAllCommits: Bool
}
