package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Repairs dead references through drafts, so clients receive the changes.
package struct DraftMender: RowMender {
    package init() {}

    package func mend(
        _ dead: [DeadReference], delivering again: [RowKey], of project: String, _ registry: Registry, author: Int64,
        at now: Instant, in transaction: any WriteTransaction
    ) throws -> Mending {
        let draft = Draft(transaction, registry, project: project, author: author, now: now)
        for key in again { try draft.restamp(key) }
        try draft.mend(dead)
        let mending = draft.mending
        _ = try draft.commit()
        return mending
    }
}

extension Draft {
    /// Removes dead references when a schema turns existing fields into references: the field becomes null, or the list
    /// loses them. If neither is possible, the row is deleted with its cascade.
    ///
    /// Throws `in_use` if that row is a project or a membership.
    fileprivate func mend(_ references: [DeadReference]) throws {
        var doomed: [RowKey] = []
        for reference in references {
            guard let collection = registry[reference.key.collection], let field = collection.field(reference.field),
                let row = try liveRecord(reference.key)
            else { continue }
            let value = row.values[collection.position(of: field)]
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

    /// The elements that refer to something live, each once.
    private func sound(_ elements: [JSON], in field: Field) throws -> [JSON] {
        var seen: Set<JSON> = []
        return try elements.filter { try seen.insert($0).inserted && state(of: $0, in: field, for: nil) == .sound }
    }

    /// What the draft has changed.
    fileprivate var mending: Mending {
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
