import SyncProtocol

/// What a pull can request from the server.
enum Fetch: Sendable, Equatable {
    /// The schema. `known` is the version that the client has; if it is still current, the server may answer 304.
    case schema(known: String?)
    /// A page. `since` is the same for the whole drain; without `cursor` a new drain begins. `size` is in rows. Every
    /// row of the collections in `replacing` is sent again.
    case page(since: SyncSeq, cursor: String?, size: Int?, replacing: Replacing = [])
}
