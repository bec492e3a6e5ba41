/// Why a request is to be tried again.
public struct SyncTrouble: Sendable, Equatable {
    /// A sentence for a person.
    public let reason: String
    /// Whether the server, or something in its place, has answered.
    public let hasAnswered: Bool

    init(answer reason: String) { (self.reason, hasAnswered) = (reason, true) }

    init(_ error: TransportError) { (reason, hasAnswered) = (error.description, false) }
}
