import SyncProtocol
import SyncSchema
import SyncStore

/// A request with an idempotency key that creates or changes a row.
struct WriteOnce {
    private let key: IdempotencyKey
    private let bodyHash: String
    private let records: IdempotencyRecords

    /// A request that creates a row. Its key is `key`.
    init(_ key: IdempotencyKey, _ fields: [String: JSON], in collection: Collection, _ records: IdempotencyRecords) {
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
