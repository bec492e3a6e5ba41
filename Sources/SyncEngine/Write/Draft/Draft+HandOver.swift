import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Keeps the former owner of a row that one write both gives away and deletes. Nobody else could see it.
    func keepOwnersOfDeletedRows() {
        for (key, entry) in entries where entry.becameDeleted && (!entry.isNew || access != nil) {
            let collection = registry.collection(key.collection)
            guard let position = collection.ownerPosition else { continue }
            modify(key) { $0.current.values[position] = holder(of: entry, position) }
        }
    }

    /// Records who had the rows and no longer has them.
    func handOver(_ rows: [Entry], _ collection: Collection, _ seq: SyncSeq) throws {
        guard let position = collection.ownerPosition else { return }
        let isMovable = collection.fields[position].isMovable
        let moves = rows.compactMap { row in
            let move = HandOver(
                id: row.current.id, from: holder(of: row, position).int, to: row.current.values[position].int)
            return move.from != move.to || row.isNew && isMovable ? move : nil
        }
        if !moves.isEmpty { try transaction.handOver(moves, of: collection, project: project, at: seq) }
    }

    /// Records again that the author no longer has the rows in `losses`.
    func retellLosses(at seq: SyncSeq) throws {
        for key in losses {
            let loss = HandOver(id: key.id, from: author, to: nil)
            try transaction.handOver([loss], of: registry.collection(key.collection), project: project, at: seq)
        }
    }

    /// The user whose device had the row before the write; null for nobody. A new row is on the device that created it.
    /// The server's own writes have no device.
    private func holder(of row: Entry, _ position: Int) -> JSON {
        if let original = row.original { return original.values[position] }
        return access == nil ? .null : .int(author)
    }
}

extension Collection {
    /// The position of the owner's field; nil unless the collection is own-only.
    fileprivate var ownerPosition: Int? {
        switch visibility {
        case .everyone, .gate, .inherited: nil
        case .own(let field): position(field)
        }
    }
}

extension Field {
    /// Whether the field can get another user.
    var isMovable: Bool { !isServerOwned || user == .clear }
}
