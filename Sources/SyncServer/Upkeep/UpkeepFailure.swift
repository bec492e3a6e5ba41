import SyncStore

/// Why work on the installation failed, for people.
enum UpkeepFailure {
    /// `fallback` is a sentence for errors that have no text for people.
    static func sentence(_ error: any Error, _ fallback: String) -> String {
        if error is CancellationError { return fallback + " The server was stopped." }
        return (error as? StoreError)?.description ?? fallback + " The server's log has the reason."
    }
}
