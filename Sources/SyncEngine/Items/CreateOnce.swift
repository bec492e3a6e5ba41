import SyncProtocol
import SyncSchema
import SyncStore

/// A create with an idempotency key.
struct CreateOnce {
    private let key: IdempotencyKey
    private let bodyHash: String
    private let records: IdempotencyRecords

    init(_ key: IdempotencyKey, _ fields: [String: JSON], in collection: Collection, _ records: IdempotencyRecords) {
        self.key = key
        bodyHash = IdempotencyRecords.hash(of: [.string(collection.name), .object(fields)])
        self.records = records
    }

    /// What the same request was answered before. Throws `idempotency_key_reused`.
    func replay() throws -> Item? {
        let reuse = Problem(
            .idempotencyKeyReused, "This Idempotency-Key came with another request. Send this one under a new key.")
        return try records.answer(to: key, bodyHash: bodyHash, reuse: reuse)
            .map { Item(try JSON(parsing: $0), isReplay: true) }
    }

    func keep(_ item: Item) throws { try records.keep(item.json.text, to: key, bodyHash: bodyHash) }
}
