import SyncProtocol
import SyncSchema
import SyncStore

/// What a reference of a drafted row points to.
enum ReferenceState {
    /// Nothing (null), or something live.
    case sound
    /// A tombstone of this project, or a user who was once a member.
    case gone
    /// Something that never existed here, as far as the caller may know.
    case unknown
}

extension Draft {
    /// What one referring value points to, as far as `access` can see. With a nil `access`,
    /// for the server's own writes, everything can be seen.
    func state(of value: JSON, in field: Field, for access: ProjectAccess?) throws -> ReferenceState {
        guard !value.isNull else { return .sound }
        if let reference = field.reference {
            guard let id = value.string, let record = try record(RowKey(reference.collection, id)),
                record.project == project,
                access?.sees(record, in: registry.collection(reference.collection), registry) ?? true
            else { return .unknown }
            return record.isDeleted ? .gone : .sound
        }
        guard field.user != nil, let user = value.int else { return .sound }
        if try isMember(user) { return .sound }
        return try reads.access(project: project, user: user) == nil ? .unknown : .gone
    }

    /// Whether the user is a member. Memberships in the draft count too: a project
    /// is created together with its owner's membership.
    func isMember(_ user: Int64) throws -> Bool {
        let memberships = registry.memberships
        guard let field = memberships.field("user") else { return false }
        return try !liveRecords(in: memberships, where: field, holds: .int(user)).isEmpty
    }

    /// The problem of the first changed reference of a drafted row that points to something not live in this project,
    /// as far as the author may know. Something deleted looks like something that never existed. Nil if all are sound.
    func unsoundReference(of key: RowKey) throws -> Violation? {
        guard let entry = entries[key], let collection = registry[key.collection] else { return nil }
        for position in collection.places.lookedUp where !collection.fields[position].isServerOwned {
            let field = collection.fields[position]
            let value = entry.current.values[position]
            guard entry.original?.values[position] != value else { continue }
            for element in value.array ?? [value] where try state(of: element, in: field, for: access) != .sound {
                return .unsound(field, element)
            }
        }
        return nil
    }

    /// Judges the delete of a row that was named, not taken along by a cascade. Called once everything is deleted.
    func checkDelete(_ key: RowKey) throws {
        let collection = registry.collection(key.collection)
        guard let record = entries[key]?.current else { return }
        for name in collection.rules {
            try RowRules.all[name]?.checkDelete(RuleSubject(record: record, collection: collection, draft: self))
        }
    }

    /// Judges the final state of a live row that was inserted or changed:
    /// tree, unique keys, rules. Throws a `Violation`.
    func check(_ key: RowKey) throws {
        let collection = registry.collection(key.collection)
        guard let record = try liveRecord(key) else { return }
        try checkAncestry(record, collection)
        try checkUnique(record, collection)
        for name in collection.rules {
            try RowRules.all[name]?.check(RuleSubject(record: record, collection: collection, draft: self))
        }
    }

    /// Throws if the row is its own ancestor through a cascade reference to its own collection. Rows known to hang
    /// below a root are not walked again, and a new row without children is not walked at all.
    private func checkAncestry(_ record: StoredRow, _ collection: Collection) throws {
        for position in collection.places.trees {
            let field = collection.fields[position]
            let isNew = entries[RowKey(collection.name, record.id)]?.isNew ?? false
            if isNew, !isReferred(record.id, by: field, of: collection) { continue }
            let name = "\(collection.name).\(field.name)"
            var path: Set<String> = [record.id]
            var parent = record.values[position].string
            while let id = parent, memory.sound[name]?.contains(id) != true {
                guard path.insert(id).inserted else {
                    throw Violation(field.name, .cyclicParent, "\(field.name) would make the row its own ancestor.")
                }
                parent = try self.record(RowKey(collection.name, id))?.values[position].string
            }
            memory.sound[name, default: []].formUnion(path)
        }
    }

    private func checkUnique(_ record: StoredRow, _ collection: Collection) throws {
        for key in collection.uniqueKeys {
            guard let values = collection.values(of: key, in: record) else { continue }
            let others = try liveRecords(in: collection, with: key, values: values).filter { $0.id != record.id }
            guard others.isEmpty else {
                var violation = Violation(
                    key.fields.last, .notUnique,
                    "Another row already has this \(key.fields.joined(separator: ", ")).")
                violation.existing = others.first { access?.sees($0, in: collection, registry) ?? true }?.id
                throw violation
            }
        }
    }
}

extension Violation {
    /// The field names something that is not in this project.
    static func unsound(_ field: Field, _ value: JSON) -> Violation {
        Violation(
            field.name, field.user == nil ? .unknownReference : .unknownUser,
            "\(field.name) refers to \(value.text), which is not in this project.")
    }
}
