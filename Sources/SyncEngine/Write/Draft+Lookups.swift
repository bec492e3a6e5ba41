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

/// Looks up rows as they are with the draft's own changes, and the draft's rows alone.
extension Draft {
    /// What one referring value points to, as far as `access` can see. With a nil `access`,
    /// for the server's own writes, everything can be seen.
    func state(of value: JSON, in field: Field, for access: ProjectAccess?) throws -> ReferenceState {
        guard !value.isNull else { return .sound }
        if let reference = field.reference {
            guard let id = value.string else { return .unknown }
            let key = RowKey(reference.collection, id)
            guard let record = try record(key), record.project == project, try isSeen(record, key, by: access) else {
                return .unknown
            }
            return record.isDeleted ? .gone : .sound
        }
        guard field.user != nil, let user = value.int else { return .sound }
        if try isMember(user) { return .sound }
        return try reads.access(project: project, user: user) == nil ? .unknown : .gone
    }

    /// Whether the caller sees a row that others may refer to. Judged by the rows as they were before the write, which
    /// may give them away. A row that the write makes is the caller's.
    private func isSeen(_ record: StoredRow, _ key: RowKey, by access: ProjectAccess?) throws -> Bool {
        guard let access else { return true }
        let entry = entries[key]
        guard entry?.isNew != true else { return true }
        let collection = registry.collection(key.collection)
        return try access.sees(entry?.original ?? record, in: collection, registry, from: reads)
    }

    /// Whether the user is a member. Memberships in the draft count too: a project
    /// is created together with its owner's membership.
    func isMember(_ user: Int64) throws -> Bool {
        let memberships = registry.memberships
        guard let field = memberships.field("user") else { return false }
        return try !liveRecords(in: memberships, where: field, holds: .int(user)).isEmpty
    }

    /// Live rows of this project whose `field` refers to `value`, including the draft's own changes.
    func liveRecords(in collection: Collection, where field: Field, holds value: JSON) throws -> [StoredRow] {
        try liveRecords(in: collection, where: field, holdsAny: [value])
    }

    /// Live rows of this project whose `field` refers to one of `values`, each once, including the draft's own changes.
    func liveRecords(in collection: Collection, where field: Field, holdsAny values: [JSON]) throws -> [StoredRow] {
        let stored = try reads.records(in: collection, project: project, where: field, holdsAny: values)
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil }
            + draftedRows(in: collection, where: field, holdsAny: values)
    }

    /// Live rows of this project with these key values, including the draft's own changes.
    func liveRecords(in collection: Collection, with key: Collection.UniqueKey, values: [JSON]) throws -> [StoredRow] {
        let namesNewRow = zip(key.fields, values).contains { isNew($1, in: collection.field(named: $0)) }
        let stored = namesNewRow ? [] : try reads.records(in: collection, project: project, with: key, values: values)
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil }
            + draftedRows(in: collection, with: key, values: values)
    }

    /// Whether the value refers to a row that the draft creates. No stored row can have it.
    private func isNew(_ value: JSON, in field: Field) -> Bool {
        guard let target = field.reference?.collection, let id = value.string else { return false }
        return entries[RowKey(target, id)]?.isNew ?? false
    }

    /// All live rows of a small collection of this project, including the draft's own changes.
    func liveRecords(in collection: Collection) throws -> [StoredRow] {
        let stored = try reads.records(in: collection, project: project)
        let drafted = entries.filter { $0.key.collection == collection.name && !$0.value.current.isDeleted }
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil } + drafted.map(\.value.current)
    }

    /// The drafted live rows that refer to the row, each with the field.
    func draftedReferrers(of key: RowKey) -> [(RowKey, Field)] {
        registry.referrers(of: key.collection).flatMap { referrer in
            let collection = registry.collection(referrer.collection)
            return draftedRows(in: collection, where: referrer.field, holdsAny: [.string(key.id)])
                .map { (RowKey(collection.name, $0.id), referrer.field) }
        }
    }

    /// The drafted live rows whose `field` refers to one of `values`.
    private func draftedRows(in collection: Collection, where field: Field, holdsAny values: [JSON]) -> [StoredRow] {
        let position = collection.position(of: field)
        let wanted = Set(values)
        return drafted(collection, wanted.map { .init(collection.name, name: field.name, value: $0) })
            .filter { $0.values[position].holdsAny(wanted) }
    }

    /// The drafted live rows with these values of a unique key.
    func draftedRows(in collection: Collection, with key: Collection.UniqueKey, values: [JSON]) -> [StoredRow] {
        drafted(collection, [.init(collection.name, name: key.name, value: .array(values))])
            .filter { collection.values(of: key, in: $0) == values }
    }

    /// How many rows are delivered again although nothing in them changes.
    var redeliveries: Int {
        entries.values.count { $0.isRestamped && !$0.contentChanged && !$0.becameDeleted }
    }

    /// The live rows of the collection that the draft inserts or changes.
    func changedRows(of collection: Collection) -> [StoredRow] {
        entries.filter {
            $0.key.collection == collection.name && !$0.value.current.isDeleted && $0.value.contentChanged
        }
        .map(\.value.current)
    }

    /// Whether rows of the draft refer to the row through the field. Nothing else can refer to a new row.
    func isReferred(_ id: String, by field: Field, of collection: Collection) -> Bool {
        !drafted(collection, [.init(collection.name, name: field.name, value: .string(id))]).isEmpty
    }

    private func drafted(_ collection: Collection, _ keys: [DraftIndexKey]) -> [StoredRow] {
        guard !drafted.isEmpty else { return [] }
        let ids = keys.reduce(into: Set<String>()) { $0.formUnion(drafted[$1] ?? []) }
        return ids.compactMap { entries[RowKey(collection.name, $0)]?.current }.filter { !$0.isDeleted }
    }
}

extension Collection.UniqueKey {
    /// Differs from the name of every field.
    var name: String { fields.joined(separator: "+") + "!" }
}

extension JSON {
    /// Whether this is one of the values, or a list with one.
    func holdsAny(_ values: Set<JSON>) -> Bool {
        values.contains(self) || array?.contains(where: values.contains) ?? false
    }
}

extension Collection {
    /// The record's values of a unique key. Nil if the key does not apply:
    /// one of them is null, or its condition is not met.
    func values(of key: UniqueKey, in record: StoredRow) -> [JSON]? {
        for (name, value) in key.condition where record.values[position(named: name)] != value { return nil }
        let values = key.fields.map { record.values[position(named: $0)] }
        return values.contains(.null) ? nil : values
    }
}
