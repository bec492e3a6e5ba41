/// What a sync does.
public enum SyncDirection: Sendable, Equatable, CaseIterable {
    /// Takes what the server has.
    case pull
    /// Sends what is dirty, and pulls only where the server can't be sent anything without.
    case push
    /// Pulls, pushes, and pulls what came of that.
    case both
}
