import SyncProtocol

/// What a pull can request from the server.
enum Fetch: Sendable, Equatable {
    /// The schema. `known` is the version that the client has; if it is still current, the server may answer 304.
    case schema(known: String?)
    /// A page. `since` is the same for the whole drain; without `cursor` a new drain begins. `size` is in rows. Every
    /// row of the collections in `replacing` is sent again. The server holds the response back for at most `wait`
    /// seconds while it would be empty.
    case page(since: SyncSeq, cursor: String?, size: Int?, replacing: Replacing = [], wait: Int = 0)

    /// Whether the server may hold the response back.
    var isHeld: Bool {
        if case .page(_, _, _, _, let wait) = self { wait > 0 } else { false }
    }
}
