import SyncProtocol
import SyncSchema
import SyncStore

/// How a reference of a drafted row stands.
enum ReferenceState {
    /// Null, or to something live.
    case sound
    /// To a tombstone of this project, or a user who was a member once.
    case gone
    /// To something that never was here, as far as the caller may know.
    case unknown
}

extension Draft {
    /// How one referring value stands, as `access` sees it (the server's own writes see everything).
    func state(of value: JSON, in field: Field, for access: ProjectAccess?) throws -> ReferenceState {
        guard !value.isNull else { return .sound }
        if let reference = field.reference {
            guard let id = value.string, let record = try record(RowKey(reference.collection, id)),
                record.project == project, access?.sees(record, in: registry[reference.collection]!, registry) ?? true
            else { return .unknown }
            return record.isDeleted ? .gone : .sound
        }
        guard field.user != nil, let user = value.int else { return .sound }
        if try isMember(user) { return .sound }
        return try reads.access(project: project, user: user) == nil ? .unknown : .gone
    }

    /// Memberships of the draft itself count: a project is created together with its owner's.
    func isMember(_ user: Int64) throws -> Bool {
        let memberships = registry.memberships
        guard let field = memberships.field("user") else { return false }
        return try !liveRecords(in: memberships, where: field, holds: .int(user)).isEmpty
    }

    /// The first reference of a drafted row, among those that the draft changed, to something that is not live in this
    /// project, as far as the author may know. What died looks like what never was.
    func unsoundReference(of key: RowKey) throws -> FieldProblem? {
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

    /// Judges the delete of a row that was named, not taken along; done once everything that goes is gone.
    func checkDelete(_ key: RowKey) throws {
        let collection = registry[key.collection]!
        guard let record = entries[key]?.current else { return }
        for name in collection.rules {
            try RowRules.all[name]?.checkDelete(RuleSubject(record: record, collection: collection, draft: self))
        }
    }

    /// Judges the final state of a live row that was inserted or changed: tree, unique keys, rules.
    func check(_ key: RowKey) throws {
        let collection = registry[key.collection]!
        guard let record = try liveRecord(key) else { return }
        try checkAncestry(record, collection)
        try checkUnique(record, collection)
        for name in collection.rules {
            try RowRules.all[name]?.check(RuleSubject(record: record, collection: collection, draft: self))
        }
    }

    /// No row is its own ancestor through a cascade reference to its own collection. What is known to hang below a root
    /// is not walked again, and a new row without children not at all.
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
                    throw FieldProblem(field.name, .cyclicParent, "\(field.name) would make the row its own ancestor.")
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
                throw FieldProblem(
                    key.fields.last, .notUnique,
                    "There is one with this \(key.fields.joined(separator: ", ")) already.")
            }
        }
    }
}

extension FieldProblem {
    /// The field names something that is not in this project.
    static func unsound(_ field: Field, _ value: JSON) -> FieldProblem {
        FieldProblem(
            field.name, field.user == nil ? .unknownReference : .unknownUser,
            "\(field.name) refers to \(value.text), which is not in this project.")
    }
}
