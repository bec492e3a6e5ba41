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

    /// Who had the row and no longer has it; nil if the same user has it.
    func handOver(_ row: Entry, of collection: Collection) -> HandOver? {
        guard let position = collection.ownerPosition else { return nil }
        let move = HandOver(
            id: row.current.id, from: holder(of: row, position).int, to: row.current.values[position].int)
        return move.from != move.to || row.isNew && collection.fields[position].isMovable ? move : nil
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
