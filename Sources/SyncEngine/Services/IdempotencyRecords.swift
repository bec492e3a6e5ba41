import Crypto
import SyncProtocol
import SyncSchema
import SyncStore

/// The stored answers to requests with an idempotency key. They are written in the transaction that applies the
/// request, so a retry finds both the rows and the record, or neither.
struct IdempotencyRecords {
    let transaction: any WriteTransaction
    let now: Instant
    /// How long a key is remembered.
    let retention: Duration
    /// How much a user may have.
    var allowance = Allowance(bytes: UploadRetention.Bytes().answers)

    /// The answer that the same request got before; nil for a new request, or one older than `retention`. Throws
    /// `reuse` if the key came with another body: replaying the old answer would silently drop what is new in it.
    func answer(to key: IdempotencyKey, bodyHash: String, reuse: @autoclosure () -> Problem) throws -> String? {
        let oldest = now.advanced(by: .zero - retention)
        guard let stored = try transaction.answer(to: key), stored.storedAt >= oldest else { return nil }
        guard stored.bodyHash == bodyHash else { throw reuse() }
        return stored.response
    }

    /// Stores the answer.
    func keep(_ response: String, to key: IdempotencyKey, bodyHash: String) throws {
        try transaction.storeAnswer(StoredAnswer(key: key, bodyHash: bodyHash, response: response, storedAt: now))
        let size = response.utf8.count
        guard size > LargeRecord.answer, allowance.isDue(adding: size) else { return }
        try transaction.trimAnswers(of: key.userID, scope: key.scope, to: allowance.bytes)
    }

    /// SHA-256 of the canonical form, in hex.
    static func hash(of body: JSON) -> String { SHA256.hex(of: body.bytes) }
}

/// A request with an idempotency key that creates or changes a row.
struct WriteOnce {
    private let key: IdempotencyKey
    private let bodyHash: String
    private let records: IdempotencyRecords

    /// A request that creates a row. Its key is `key`.
    init(_ key: IdempotencyKey, fields: [String: JSON], in collection: Collection, records: IdempotencyRecords) {
        self.init(key, request: [.string(collection.name), .object(fields)], records)
    }

    /// Any request. `request` is what makes it another one.
    init(_ key: IdempotencyKey, request: JSON, _ records: IdempotencyRecords) {
        self.key = key
        bodyHash = IdempotencyRecords.hash(of: request)
        self.records = records
    }

    /// The answer that the same request got before; nil for a new request. Throws `idempotency_key_reused`.
    func replay() throws -> Item? {
        let reuse = Problem(
            .idempotencyKeyReused, "This Idempotency-Key was used for another request. Send this one with a new key.")
        return try records.answer(to: key, bodyHash: bodyHash, reuse: reuse)
            .map { Item(try JSON(parsing: $0), isReplay: true) }
    }

    /// Stores the answer for repeated requests.
    func keep(_ item: Item) throws { try records.keep(item.json.text, to: key, bodyHash: bodyHash) }
}
