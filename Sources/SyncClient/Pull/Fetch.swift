import SyncProtocol

/// A question to the server, before it is a request: what a pull can ask.
enum Fetch: Sendable, Equatable {
    /// `known` is the version the client has; the server may answer 304.
    case schema(known: String?)
    /// Constant `since` for the whole drain; without a cursor the drain begins. Of the collections in `replacing` every
    /// row is asked for.
    case page(since: SyncSeq, cursor: String?, size: Int?, replacing: [String] = [])
}
