import SyncProtocol
import SyncSchema

/// A live row with a field that refers to what is not there, or not live.
package struct DeadReference: Sendable, Hashable {
    package let key: RowKey
    package let field: String

    package init(_ key: RowKey, field: String) {
        self.key = key
        self.field = field
    }
}

/// What became of rows with dead references.
package struct Mending: Sendable, Equatable {
    /// Rows that lost a reference and stay.
    package var changed = 0
    /// Rows that can't be without the reference, with what their deletion took along.
    package var deleted = 0

    package init() {}
}

extension Draft {
    /// Takes dead references away, for a schema that makes references of fields which rows have already: they become
    /// null, or leave their list. A row that can be without neither is deleted, with its cascade.
    ///
    /// Throws `in_use` where that would be a project or a membership.
    package func mend(_ references: [DeadReference]) throws {
        var doomed: [RowKey] = []
        for reference in references {
            guard let collection = registry[reference.key.collection], let field = collection.field(reference.field),
                let row = try liveRecord(reference.key)
            else { continue }
            let value = row.values[collection.position(field.name)!]
            if let elements = value.array {
                try set(field, of: reference.key, to: .array(try sound(elements, in: field)))
            } else if field.value.isNullable {
                try set(field, of: reference.key, to: .null)
            } else {
                try refuseAccessRow(collection, reference)
                doomed.append(reference.key)
            }
        }
        try deleteByForce(doomed)
    }

    /// Each once.
    private func sound(_ elements: [JSON], in field: Field) throws -> [JSON] {
        var seen: Set<JSON> = []
        return try elements.filter { try seen.insert($0).inserted && state(of: $0, in: field, for: nil) == .sound }
    }

    /// What the draft has come to.
    package var mending: Mending {
        entries.values.reduce(into: Mending()) { mending, entry in
            if entry.becameDeleted {
                mending.deleted += 1
            } else if entry.contentChanged {
                mending.changed += 1
            }
        }
    }

    private func refuseAccessRow(_ collection: Collection, _ reference: DeadReference) throws {
        guard collection.scope == .ordinary else {
            throw Problem(
                .inUse, "\(reference.key.collection) \(reference.key.id) refers to nothing live in \(reference.field).")
        }
    }

    private func deleteByForce(_ keys: [RowKey]) throws {
        var cascade = Cascade(self, isForced: true)
        for key in keys {
            if let row = try liveRecord(key) { try cascade.deleteRoot(key, row) }
        }
        try cascade.spread()
        try cascade.clearReferences()
        if let problem = try cascade.restrictedRoots().values.first { throw Problem(problem.code, problem.detail) }
    }
}
