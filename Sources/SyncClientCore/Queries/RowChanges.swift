import GRDB
import SyncProtocol

/// The ids of the rows of a collection that change, by edits here, by a sync, or by another process.
///
/// The first element has the ids of all rows. Each further one has those of the rows that were added, changed or
/// deleted since the element before, so a reader that goes by the ids alone shows what `Replica.rows(_:)` finds. While
/// a reader is busy, changes are merged into its next element, and none is lost. It ends when the reader's task is
/// cancelled.
///
/// Each element is of a settled state, as in `Replica.observe(_:unsettled:look:)`.
public struct RowChanges: AsyncSequence, Sendable {
    fileprivate let replica: Replica
    fileprivate let collection: String
    fileprivate let unsettled: Bool
    fileprivate let look: Duration

    /// A reader of its own, which begins with all rows.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ChangeReader(self)) }

    /// One reader.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: ChangeReader

        /// The ids that have changed, as soon as some have; nil when the task is cancelled. Throws the errors of
        /// `Replica.rows(_:)`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Set<String>? {
            try await reader.next()
        }
    }
}

extension Replica {
    /// The ids of the collection's rows that change: see `RowChanges`. With `unsettled`, changes before the first
    /// settled state are told, too.
    ///
    /// Looks for changes at intervals of `look`. After a change all rows of the collection are read, and 100 bytes of
    /// memory are taken for each; for a part of a large collection, `observe(_:unsettled:look:)` reads less.
    public func changes(
        of collection: String, unsettled: Bool = false, look: Duration = .milliseconds(100)
    ) -> RowChanges {
        RowChanges(replica: self, collection: collection, unsettled: unsettled, look: look)
    }

    /// What each row of the collection has, as a number; nil if the file shows no state that was, unless `unsettled`.
    /// Rows that were deleted here are not among them.
    fileprivate func fingerprints(of collection: String, unsettled: Bool) throws -> [String: Int]? {
        let collection = try known(collection)
        let sql = "SELECT * FROM \(SQLName.quoted(collection.name)) WHERE _status <> 'deleted'"
        return try read { db in
            guard try unsettled || Self.state(db).showsWhatWas else { return nil }
            let rows = try Row.fetchCursor(db, sql: sql)
            var prints: [String: Int] = [:]
            while let row = try rows.next() { prints[row["id"]] = StoredRow.fingerprint(row) }
            return prints
        }
    }
}

/// Finds what has changed since it looked last.
///
/// It compares all rows with those that were told before. Nothing but the rows says what another process did.
private actor ChangeReader {
    private let changes: RowChanges
    private var ear: ReplicaEar?
    /// The rows as they were told; nil before the first element.
    private var told: [String: Int]?

    init(_ changes: RowChanges) { self.changes = changes }

    func next() async throws -> Set<String>? {
        while !Task.isCancelled {
            if let ids = try changed() { return ids }
            do { try await Task.sleep(for: changes.look) } catch { return nil }
        }
        return nil
    }

    /// Nil if there is nothing to tell. Listens before it reads: what comes in between is heard the next time.
    private func changed() throws -> Set<String>? {
        let ear = try self.ear ?? ReplicaEar(path: changes.replica.path)
        self.ear = ear
        guard try ear.hasHeard(),
            let rows = try changes.replica.fingerprints(of: changes.collection, unsettled: changes.unsettled)
        else { return nil }
        let former = told
        told = rows
        guard let former else { return Set(rows.keys) }
        let ids = Set(rows.keys).union(former.keys).filter { rows[$0] != former[$0] }
        return ids.isEmpty ? nil : ids
    }
}

extension StoredRow {
    /// A number that changes when the row does, for readers outside the replica. Texts are compared by their bytes.
    fileprivate static func fingerprint(_ row: Row) -> Int {
        var hasher = Hasher()
        for (name, value) in row where !hidden.contains(name) {
            switch value.storage {
            case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
            default: hasher.combine(value)
            }
            hasher.combine(name)
        }
        return hasher.finalize()
    }
}
