package import SyncProtocol
package import SyncSchema

/// The unit of work behind every logical write: rows are changed here first, judged on their final state, and put into
/// the store by `commit` in one go, stamped with one commit number. Nothing else writes synced rows.
///
/// A class because rules, cascades and services share one draft; it never leaves the write transaction it was made in.
package final class Draft {
    struct Entry {
        /// The row as stored; nil for a new one.
        let original: StoredRow?
        var current: StoredRow
        /// To be delivered again although its content may be unchanged.
        var isRestamped = false

        var isNew: Bool { original == nil }
        var contentChanged: Bool { original.map { $0.values != current.values } ?? true }
        var becameDeleted: Bool { current.isDeleted && !(original?.isDeleted ?? false) }
        var isDirty: Bool { contentChanged || becameDeleted || isRestamped }
    }

    package let transaction: any WriteTransaction
    package let registry: Registry
    package let project: String
    /// The user on whose behalf the write is done.
    package let author: Int64
    /// What the author may do; nil for the server's own writes, which rules about callers let pass.
    let access: ProjectAccess?
    package let now: Timestamp
    private(set) var entries: [RowKey: Entry] = [:]
    /// What checks have found to be sound, by check; valid while nothing changes, as checks come last.
    var memory: [String: Set<String>] = [:]
    /// Which drafted rows had a value at some time: found by it, then judged by their present state.
    private var drafted: [DraftIndexKey: Set<String>] = [:]

    package init(
        _ transaction: any WriteTransaction, _ registry: Registry, project: String, author: Int64, now: Timestamp
    ) {
        self.transaction = transaction
        self.registry = registry
        self.project = project
        self.author = author
        access = nil
        self.now = now
    }

    /// A draft of what a caller asks for.
    init(_ transaction: any WriteTransaction, _ registry: Registry, _ access: ProjectAccess, now: Timestamp) {
        self.transaction = transaction
        self.registry = registry
        project = access.project.id
        author = access.caller.userID
        self.access = access
        self.now = now
    }

    /// The row as it is now, tombstones and rows of other projects included.
    package func record(_ key: RowKey) throws -> StoredRow? {
        if let entry = entries[key] { return entry.current }
        return try transaction.record(key)
    }

    /// The live row of this project, nil for anything else.
    package func liveRecord(_ key: RowKey) throws -> StoredRow? {
        guard let record = try record(key), !record.isDeleted, record.project == project else { return nil }
        return record
    }

    /// Adds a row with these values (all fields, by position). Server-owned values are filled in.
    package func insert(_ key: RowKey, values: [JSON]) throws {
        let collection = registry[key.collection]!
        var record = StoredRow(newIn: collection, project: project, id: key.id, values: values)
        for (position, field) in collection.fields.enumerated() where field.serverValue != nil {
            record.values[position] = try serverValue(field, collection, values)
        }
        put(key, Entry(original: nil, current: record))
    }

    /// Replaces values of a row of this project.
    package func update(_ key: RowKey, _ change: (inout [JSON]) throws -> Void) throws {
        guard var entry = try entry(key) else { return }
        try change(&entry.current.values)
        if entry.contentChanged { refreshServerValues(of: key, &entry.current) }
        put(key, entry)
    }

    /// Sets one field of a row of this project.
    package func set(_ field: Field, of key: RowKey, to value: JSON) throws {
        let position = registry[key.collection]!.position(field.name)!
        try update(key) { $0[position] = value }
    }

    /// Has the row delivered again.
    package func restamp(_ key: RowKey) throws {
        guard var entry = try entry(key) else { return }
        entry.isRestamped = true
        put(key, entry)
    }

    /// Marks one row as deleted, without its cascade.
    func markDeleted(_ key: RowKey) throws {
        guard var entry = try entry(key) else { return }
        entry.current.isDeleted = true
        put(key, entry)
    }

    /// Live rows of this project whose `field` refers to `value`, the draft's own changes included.
    func liveRecords(in collection: Collection, where field: Field, holds value: JSON) throws -> [StoredRow] {
        let position = collection.position(field.name)!
        let stored = try transaction.records(in: collection, project: project, where: field, holds: value)
        let drafted = drafted(collection, .init(collection.name, field.name, value))
            .filter { $0.values[position].holds(value) }
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil } + drafted
    }

    /// Live rows of this project with these key values, the draft's own changes included.
    func liveRecords(in collection: Collection, with key: Collection.UniqueKey, values: [JSON]) throws -> [StoredRow] {
        let stored = try transaction.records(in: collection, project: project, with: key, values: values)
        let drafted = drafted(collection, .init(collection.name, key.name, .array(values)))
            .filter { collection.values(of: key, in: $0) == values }
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil } + drafted
    }

    /// All live rows of a small collection of this project, the draft's own changes included.
    func liveRecords(in collection: Collection) throws -> [StoredRow] {
        let stored = try transaction.records(in: collection, project: project)
        let drafted = entries.filter { $0.key.collection == collection.name && !$0.value.current.isDeleted }
        return stored.filter { entries[RowKey(collection.name, $0.id)] == nil } + drafted.map(\.value.current)
    }

    private func drafted(_ collection: Collection, _ key: DraftIndexKey) -> [StoredRow] {
        (drafted[key] ?? []).compactMap { entries[RowKey(collection.name, $0)]?.current }.filter { !$0.isDeleted }
    }

    private func put(_ key: RowKey, _ entry: Entry) {
        entries[key] = entry
        memory.removeAll()
        let collection = registry[key.collection]!
        for (field, value) in zip(collection.fields, entry.current.values) where field.isLookedUp && !value.isNull {
            for element in value.array ?? [value] {
                drafted[DraftIndexKey(key.collection, field.name, element), default: []].insert(key.id)
            }
        }
        for unique in collection.uniqueKeys {
            guard let values = collection.values(of: unique, in: entry.current) else { continue }
            drafted[DraftIndexKey(key.collection, unique.name, .array(values)), default: []].insert(key.id)
        }
    }

    /// Changes an entry that is there; its values stay as they are.
    func modify(_ key: RowKey, _ change: (inout Entry) -> Void) {
        if var entry = entries[key] {
            change(&entry)
            entries[key] = entry
        }
    }

    private func entry(_ key: RowKey) throws -> Entry? {
        if let entry = entries[key] { return entry }
        guard let record = try transaction.record(key), record.project == project else { return nil }
        return Entry(original: record, current: record)
    }
}

/// A value by which drafted rows are looked up: of a field, or of a unique key.
private struct DraftIndexKey: Hashable {
    let collection: String
    let name: String
    let value: JSON

    init(_ collection: String, _ name: String, _ value: JSON) {
        self.collection = collection
        self.name = name
        self.value = value
    }
}

extension Field {
    /// Whether rows are looked up by the field: it refers to a row or to a user.
    var isLookedUp: Bool { reference != nil || user != nil }
}

extension Collection.UniqueKey {
    /// Unlike any field's name.
    var name: String { fields.joined(separator: "+") + "!" }
}

extension JSON {
    /// Whether this is the value, or a list with it.
    func holds(_ value: JSON) -> Bool { self == value || array?.contains(value) ?? false }
}

extension Collection {
    /// The record's values of a unique key; nil where the key does not count: a null among them, or the condition unmet.
    func values(of key: UniqueKey, in record: StoredRow) -> [JSON]? {
        for (name, value) in key.condition where record.values[position(name)!] != value { return nil }
        let values = key.fields.map { record.values[position($0)!] }
        return values.contains(.null) ? nil : values
    }
}
