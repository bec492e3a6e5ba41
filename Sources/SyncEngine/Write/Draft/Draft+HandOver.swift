import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// A row that is deleted by the write that gives it away stays its former owner's: nobody else could see it.
    func keepOwnersOfDeletedRows() {
        for (key, entry) in entries where entry.becameDeleted && (!entry.isNew || access != nil) {
            let collection = registry[key.collection]!
            guard let position = collection.ownerPosition else { continue }
            modify(key) { $0.current.values[position] = holder(of: entry, position) }
        }
    }

    /// Writes down who had the rows, and has them no more.
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

    func retellLosses(at seq: SyncSeq) throws {
        for key in losses {
            let loss = HandOver(id: key.id, from: author, to: nil)
            try transaction.handOver([loss], of: registry[key.collection]!, project: project, at: seq)
        }
    }

    /// The user whose device has the row before the write, null for nobody. A new one is on the device that made it;
    /// the server's own writes have none.
    private func holder(of row: Entry, _ position: Int) -> JSON {
        if let original = row.original { return original.values[position] }
        return access == nil ? .null : .int(author)
    }
}

extension Collection {
    /// Of an own-only collection the place of the owner's field.
    fileprivate var ownerPosition: Int? {
        guard case .own(let field) = visibility else { return nil }
        return position(field)
    }
}

extension Field {
    /// Whether it can get another user.
    fileprivate var isMovable: Bool { !isServerOwned || user == .clear }
}
