/// A user-wide request whose answer stays the same until the next commit to one of the user's projects.
struct UserEmptyPageKey: Hashable, Sendable {
    let request: UserPullRequest
    let user: Int64
    let isPacked: Bool
}
