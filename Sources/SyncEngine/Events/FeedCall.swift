/// What a `CommitFeed` tells a listener.
package enum FeedCall: Sendable {
    case commits(NewCommits)
    /// The caller's credential is no longer valid: revoked, its session ended, or its account disabled.
    case revoked
    /// The server stops. `place` counts the listeners that are told, from 0; `count` is how many there are.
    case stopping(place: Int, of: Int)
}
