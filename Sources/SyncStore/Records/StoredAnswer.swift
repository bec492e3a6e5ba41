package import SyncProtocol

/// The idempotency record of a request: what it was and how it was answered.
package struct StoredAnswer: Sendable, Equatable {
    package let key: IdempotencyKey
    /// SHA-256 of the canonical form of the request's body, in hex.
    package let bodyHash: String
    /// The answer's body, byte for byte.
    package let response: String
    package let storedAt: Instant

    package init(key: IdempotencyKey, bodyHash: String, response: String, storedAt: Instant) {
        self.key = key
        self.bodyHash = bodyHash
        self.response = response
        self.storedAt = storedAt
    }
}
