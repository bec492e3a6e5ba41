import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// How much a project may hold. The operator's own imports are not judged.
package struct Quotas: Sendable, Equatable {
    /// The most live rows of a project, besides its own row and its memberships; nil for any number.
    package var projectRows: Int?
    /// The most bytes of a row: of the names and values of its fields, as JSON.
    package var rowBytes = 2048 << 10

    package init() {}

    /// As much as anybody likes.
    package static var none: Quotas {
        var quotas = Quotas()
        quotas.rowBytes = .max
        return quotas
    }
}

/// Judges a draft by the quotas. What it says depends on the whole draft and never on the order of its rows: over a
/// limit, each row that adds to it is refused, and no other. Deletes and edits that shrink always pass, so nobody is
/// locked in.
struct QuotaCheck {
    let quotas: Quotas
    let draft: Draft

    /// The rows that must not be written, each with the reason.
    func violations() throws -> [RowKey: Violation] {
        var violations: [RowKey: Violation] = [:]
        var change = 0
        var added: [RowKey] = []
        for (key, entry) in draft.entries where entry.isDirty {
            let collection = draft.registry.collection(key.collection)
            if let violation = violation(of: entry, in: collection) { violations[key] = violation }
            guard collection.scope == .ordinary else { continue }
            if entry.becameDeleted { change -= 1 }
            if entry.isNew, !entry.current.isDeleted {
                change += 1
                added.append(key)
            }
        }
        // What is refused for its own sake counts for nobody.
        guard violations.isEmpty else { return violations }
        guard let limit = quotas.projectRows, !added.isEmpty, try live() + change > limit else { return [:] }
        for key in added { violations[key] = .quotaExceeded(limit) }
        return violations
    }

    /// What the answer to a write says of the quota that it exceeded. Only admins are told how much is used: others
    /// could find out what the project has.
    func members() throws -> [String: JSON] {
        guard let limit = quotas.projectRows else { return [:] }
        var members: [String: JSON] = ["quota": "project_rows", "limit": .int(Int64(limit))]
        if (draft.access?.role ?? .owner) >= .admin { members["used"] = .int(Int64(try live())) }
        return members
    }

    private func violation(of entry: Draft.Entry, in collection: Collection) -> Violation? {
        guard entry.isNew || entry.contentChanged, !entry.current.isDeleted else { return nil }
        let bytes = entry.current.bytes(in: collection)
        guard bytes > quotas.rowBytes, grows(entry, to: bytes, in: collection) else { return nil }
        return .rowTooLarge(quotas.rowBytes)
    }

    /// Whether a large row becomes larger. Short values, such as a name, can be edited in any case: they add a bounded
    /// amount.
    private func grows(_ entry: Draft.Entry, to bytes: Int, in collection: Collection) -> Bool {
        guard let original = entry.original else { return true }
        guard bytes > original.bytes(in: collection) else { return false }
        return zip(original.values, entry.current.values).contains { before, after in
            before != after && after.roughBytes > max(Self.short, before.roughBytes)
        }
    }

    /// The most bytes of a short value.
    private static let short = 1024

    /// The live rows that count, without those of the draft.
    private func live() throws -> Int {
        try draft.reads.counts(project: draft.project)
            .filter { draft.registry.index(of: $0.key) != nil && draft.registry.collection($0.key).scope == .ordinary }
            .reduce(0) { $0 + $1.value.live }
    }
}

extension StoredRow {
    /// The bytes that count for a row: of its id, and of the names and values of its fields, about as in JSON.
    fileprivate func bytes(in collection: Collection) -> Int {
        zip(collection.fields, values).reduce(id.utf8.count) { $0 + $1.0.name.utf8.count + $1.1.roughBytes + 4 }
    }
}

extension Violation {
    fileprivate static func quotaExceeded(_ limit: Int) -> Violation {
        Violation(
            nil, .quotaExceeded,
            detail: "A project has at most \(limit) rows here. Delete some, or ask the operator for more.")
    }

    fileprivate static func rowTooLarge(_ limit: Int) -> Violation {
        Violation(
            nil, .rowTooLarge, detail: "A row has at most \(limit) bytes here. One that is larger may only shrink.")
    }
}
