import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// The answers that requests with an idempotency key were given, in the write transaction that applies them: a retry
/// finds the rows and the record, or neither.
struct IdempotencyRecords {
    let transaction: any WriteTransaction
    let now: Instant
    /// How long a key is remembered.
    let retention: Duration

    /// The answer that the same request got before; nil for a new one. Throws `reuse` where the key came with another
    /// body: a replay would swallow what is new in it.
    func answer(to key: IdempotencyKey, bodyHash: String, reuse: @autoclosure () -> Problem) throws -> String? {
        let oldest = now.advanced(by: .zero - retention)
        guard let stored = try transaction.answer(to: key), stored.storedAt >= oldest else { return nil }
        guard stored.bodyHash == bodyHash else { throw reuse() }
        return stored.response
    }

    /// Remembers the answer.
    func keep(_ response: String, to key: IdempotencyKey, bodyHash: String) throws {
        try transaction.storeAnswer(StoredAnswer(key: key, bodyHash: bodyHash, response: response, storedAt: now))
    }

    /// SHA-256 over the canonical form, in hex.
    static func hash(of body: JSON) -> String { SHA256.hex(of: body.bytes) }
}
