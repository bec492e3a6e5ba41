import Foundation
import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// The unit of work of every logical write. Rows are changed here first and judged on their final state. Then `commit`
/// writes them to the store in one go, stamped with one commit number. Nothing else writes synced rows.
///
/// It is a class because rules, cascades and services share one draft. It
/// never leaves the write transaction that it was made in.
package final class Draft: RowReads {
    struct Entry {
        /// The row as stored; nil for a new one.
        let original: StoredRow?
        var current: StoredRow
        /// Whether to deliver the row again even if its content is unchanged.
        var isRestamped = false
        /// Whether a client sent the stored row as a new one. The client has it then, whatever part it holds.
        var isSentAsNew = false
        /// What a client sent for fields that were merged to other values.
        var sent: [String: JSON] = [:]

        var isNew: Bool { original == nil }
        var contentChanged: Bool { original.map { $0.values != current.values } ?? true }
        var becameDeleted: Bool { current.isDeleted && !(original?.isDeleted ?? false) }
        var isDirty: Bool { contentChanged || becameDeleted || isRestamped }
    }

    /// What the draft reads from.
    let reads: any ReadTransaction
    /// What the draft is written to; nil for a draft that is only judged.
    private let writes: (any WriteTransaction)?
    package let registry: Registry
    package let project: String
    /// The user on whose behalf the write is done.
    package let author: Int64
    /// What the author may do. Nil for the server's own writes, which pass all rules about callers.
    let access: ProjectAccess?
    let origin: Origin
    /// Who the audit list says changed members or the project; nil for the server's own writes, which it leaves out.
    let actor: Actor?
    package let now: Instant
    /// The project's counters before the commit; nil until they are read.
    private var state: ProjectState?
    private(set) var entries: [RowKey: Entry] = [:]
    /// Short ids that the draft gave out.
    var shortIDs = ShortIDBlock()
    /// Fields that writes sent with the value they already had, by row.
    private(set) var sightings: [RowKey: Set<String>] = [:]
    /// Rows that the author no longer has, and that the author's `deleted` must name again.
    private(set) var losses: Set<RowKey> = []
    /// The bytes of large changes that the commit added to the history.
    var largeHistory = 0
    /// What checks have found so far. Only valid while nothing changes, so checks come last.
    var memory = CheckCache()
    /// The drafted rows that have or had a value. A row that is found here must still be judged by its present state.
    private(set) var drafted: [DraftIndexKey: Set<String>] = [:]

    package init(
        _ transaction: any WriteTransaction, _ registry: Registry, project: String, author: Int64,
        access: ProjectAccess? = nil, device: ExactText? = nil, by actor: Actor? = nil, now: Instant
    ) {
        reads = transaction
        writes = transaction
        self.registry = registry
        self.project = project
        self.author = author
        self.access = access
        state = access?.project
        origin = Origin(userID: author, device: device, credential: access?.caller.credential ?? "")
        self.actor = access?.caller.actor ?? actor
        self.now = now
    }

    /// A draft of a project that does not exist yet. Its rows are judged
    /// here and stored by other drafts, which `adopt` them.
    init(
        judging project: String, _ reads: any ReadTransaction, _ registry: Registry, author: Int64, now: Instant
    ) {
        self.reads = reads
        writes = nil
        self.registry = registry
        self.project = project
        self.author = author
        access = nil
        state = ProjectState(id: project, head: .zero, isArchived: false, isDeleted: false)
        origin = Origin(userID: author, device: nil, credential: "")
        actor = nil
        self.now = now
    }

    /// A draft of a caller's write that is only judged: nobody wants it written.
    init(judging reads: any ReadTransaction, _ registry: Registry, _ access: ProjectAccess, now: Instant) {
        self.reads = reads
        writes = nil
        self.registry = registry
        project = access.project.id
        author = access.caller.userID
        self.access = access
        state = access.project
        origin = Origin(userID: author, device: nil, credential: access.caller.credential)
        actor = nil
        self.now = now
    }

    /// A draft of a caller's write.
    convenience init(
        _ transaction: any WriteTransaction, registry: Registry, access: ProjectAccess, device: ExactText? = nil,
        now: Instant
    ) {
        self.init(
            transaction, registry, project: access.project.id, author: access.caller.userID, access: access,
            device: device, now: now)
    }

    /// What the draft is written to. A draft that is only judged must not ask for it.
    package var transaction: any WriteTransaction { writes! }

    /// Takes over new rows that another draft has judged.
    func adopt(_ rows: [StoredRow], of collection: Collection) {
        for row in rows { put(RowKey(collection.name, row.id), Entry(original: nil, current: row)) }
    }

    /// Creates the counters of the draft's project, which was judged before it existed.
    func createProject() throws {
        try transaction.createProject(project)
        state = nil
    }

    /// The project's counters, without the draft's own changes.
    func projectState() throws -> ProjectState {
        guard let state = try state ?? reads.project(project) else {
            throw Problem(.notFound, "There is no project \(project).")
        }
        self.state = state
        return state
    }

    /// The row as the draft has it now. Includes tombstones and rows of other projects.
    package func record(_ key: RowKey) throws -> StoredRow? {
        if let entry = entries[key] { return entry.current }
        return try reads.record(key)
    }

    /// The row as the store has it.
    func original(_ key: RowKey) throws -> StoredRow? { try entries[key]?.original ?? reads.record(key) }

    /// The live row of this project; nil for anything else.
    package func liveRecord(_ key: RowKey) throws -> StoredRow? {
        guard let record = try record(key), !record.isDeleted, record.project == project else { return nil }
        return record
    }

    /// Adds a row with these values (all fields, by position). Fills
    /// in the server-owned values, except those in `kept`.
    package func insert(_ key: RowKey, values: [JSON], kept: [Int: JSON] = [:]) throws {
        let collection = registry.collection(key.collection)
        var record = StoredRow(newIn: collection, project: project, id: key.id, values: values)
        record.insertedBy = author
        record.insertedAt = now
        for position in collection.places.serverValued where kept[position] == nil {
            record.values[position] = try serverValue(collection.fields[position], in: collection, values: values)
        }
        for (position, value) in kept { record.values[position] = value }
        put(key, Entry(original: nil, current: record))
    }

    /// Replaces values of a row of this project. Pass the row as `stored` if it was already read from the store.
    package func update(_ key: RowKey, stored: StoredRow? = nil, _ change: (inout [JSON]) throws -> Void) throws {
        guard var entry = try entry(key, stored: stored) else { return }
        try change(&entry.current.values)
        if entry.contentChanged { refreshServerValues(of: key, &entry.current) }
        put(key, entry)
    }

    /// Sets one field of a row of this project.
    package func set(_ field: Field, of key: RowKey, to value: JSON) throws {
        let position = registry.collection(key.collection).position(of: field)
        try update(key) { $0[position] = value }
    }

    /// Marks the row to be delivered again.
    package func restamp(_ key: RowKey) throws {
        guard var entry = try entry(key) else { return }
        entry.isRestamped = true
        put(key, entry)
    }

    /// Marks the row to be reported to the author again as no longer theirs.
    func retellLoss(of key: RowKey) { losses.insert(key) }

    /// Notes that the author sent these fields of the row with the values they already have.
    func noteSighting(of fields: some Sequence<String>, in key: RowKey) {
        sightings[key, default: []].formUnion(fields)
    }

    /// Notes what a client sent for those of the fields that got another value. The row must be drafted.
    func noteSent(_ values: [String: JSON], of fields: some Sequence<String>, in key: RowKey) {
        guard !values.isEmpty || entries[key]?.sent.isEmpty == false else { return }
        modify(key) { entry in
            for field in fields { entry.sent[field] = values[field] }
        }
    }

    /// Marks one row as deleted, without its cascade. Pass the row as `stored` if it was already read from the store.
    func markDeleted(_ key: RowKey, stored: StoredRow? = nil) throws {
        guard var entry = try entry(key, stored: stored) else { return }
        entry.current.isDeleted = true
        put(key, entry)
    }

    private func put(_ key: RowKey, _ entry: Entry) {
        entries[key] = entry
        memory = CheckCache()
        // Nothing finds a tombstone, and nothing revives one.
        guard !entry.current.isDeleted else { return }
        let collection = registry.collection(key.collection)
        for position in collection.places.lookedUp where !entry.current.values[position].isNull {
            let value = entry.current.values[position]
            for element in value.array ?? [value] {
                let index = DraftIndexKey(key.collection, name: collection.fields[position].name, value: element)
                drafted[index, default: []].insert(key.id)
            }
        }
        for unique in collection.uniqueKeys {
            guard let values = collection.values(of: unique, in: entry.current) else { continue }
            drafted[DraftIndexKey(key.collection, name: unique.name, value: .array(values)), default: []].insert(key.id)
        }
    }

    /// Changes an existing entry. Its values must stay as they are.
    func modify(_ key: RowKey, _ change: (inout Entry) -> Void) {
        if var entry = entries[key] {
            change(&entry)
            entries[key] = entry
        }
    }

    private func entry(_ key: RowKey, stored: StoredRow? = nil) throws -> Entry? {
        if let entry = entries[key] { return entry }
        guard let record = try stored ?? reads.record(key), record.project == project else { return nil }
        return Entry(original: record, current: record)
    }
}

/// What the checks of a draft have found so far. It is emptied whenever a row
/// changes. Checks come last, so it lasts for all of them.
struct CheckCache {
    /// Ids found to be sound, by check.
    var sound: [String: Set<String>] = [:]
    /// Ids found to be below a row that is its own ancestor, by check.
    var cyclic: [String: Set<String>] = [:]
    /// The rows that unique keys go to.
    var owners: [DraftIndexKey: StoredRow] = [:]
    /// How often links were looked up in the store, by the links' collection.
    var linkLookups: [String: Int] = [:]
    /// All links, by their collection, once they are read.
    var links: [String: LinkGraph] = [:]
    /// By the links' collection: the ends of changed links that have rows below them.
    var summaries: [String: Set<String>] = [:]
    /// By the links' collection: what is wrong with rows that got another parent, by id.
    var moves: [String: [String: Violation]] = [:]
    /// What lies above what, by the rows' collection.
    var forests: [String: TaskForest] = [:]
}

/// A value by which drafted rows are looked up: of a field, or of a unique key.
struct DraftIndexKey: Hashable {
    let collection: String
    let name: String
    let value: JSON

    init(_ collection: String, name: String, value: JSON) {
        self.collection = collection
        self.name = name
        self.value = value
    }
}

extension Draft {
    /// Deletes a live row and everything that its schema cascades to. Rows that stay are updated if they refer to a
    /// deleted row through a `clear` reference.
    ///
    /// Throws `in_use` if a row that stays refers through a `restrict` reference to a row that would be deleted.
    package func delete(_ root: RowKey) throws { try delete([root]) }

    /// Deletes live rows as one delete: their order makes no difference.
    package func delete(_ roots: [RowKey]) throws {
        let problems = try drop(roots)
        guard let first = roots.lazy.compactMap({ problems[$0] }).first else { return }
        throw Problem(first.code, first.detail)
    }

    /// Deletes live rows as one delete. Returns the rows that may not be deleted, each with the reason. Unless the
    /// result is empty, nothing of the draft may be written.
    func drop(_ roots: [RowKey]) throws -> [RowKey: Violation] {
        guard !roots.isEmpty else { return [:] }
        var cascade = Cascade(self)
        for root in roots {
            guard let row = try liveRecord(root) else { continue }
            guard registry.collection(root.collection).scope != .project else {
                try deleteProject()
                return [:]
            }
            try cascade.deleteRoot(root, row)
        }
        try cascade.spread()
        try cascade.clearReferences()
        return try cascade.restrictedRoots()
    }
}

extension Draft {
    private var projectEntry: Entry? { entries[RowKey(registry.projects.name, project)] }

    var isProjectNew: Bool { projectEntry?.isNew ?? false }

    var isProjectDeleted: Bool { projectEntry?.becameDeleted ?? false }

    /// Deletes the project, its memberships and the rows of the draft. The project's other rows follow at the commit,
    /// in the store.
    func deleteProject() throws {
        try markDeleted(RowKey(registry.projects.name, project))
        let memberships = registry.memberships
        for row in try liveRecords(in: memberships) { try markDeleted(RowKey(memberships.name, row.id)) }
        for key in entries.keys { try markDeleted(key) }
    }
}

/// The numbers of a draft's short ids. They follow the last one of the project's counter,
/// and are drawn from it together with the commit number.
struct ShortIDBlock {
    private var last: Int64?
    private(set) var taken: Int64 = 0

    /// Takes the next `count` numbers, and returns the last of them. `stored` returns the counter's last number.
    mutating func take(_ count: Int64, after stored: () throws -> Int64) rethrows -> Int64 {
        let number = try (last ?? stored()) + count
        last = number
        taken += count
        return number
    }
}
