/// What a sync does.
public enum SyncDirection: Sendable, Equatable, CaseIterable {
    /// Fetches what the server has.
    case pull
    /// Sends unsent edits. Pulls only when the server would accept nothing without it.
    case push
    /// Pulls, pushes, and pulls the result of the push.
    case both
}
