/// Why a request failed and will be retried.
public struct SyncTrouble: Sendable, Equatable {
    /// A sentence for a person.
    public let reason: String
    /// Whether there was an answer, from the server or from something in between.
    public let hasAnswered: Bool

    init(answer reason: String) { (self.reason, hasAnswered) = (reason, true) }

    init(_ error: TransportError) { (reason, hasAnswered) = (error.description, false) }
}
