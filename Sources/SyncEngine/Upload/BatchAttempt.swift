import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Applies the rows of one batch to a draft. The order of rows within the batch makes no difference: all rows are
/// drafted first, then references, deletes, keys and rules are judged on the result.
struct BatchAttempt {
    private let request: UploadRequest
    private let access: ProjectAccess
    let draft: Draft
    private let rows: [UploadRequest.Row]
    /// The problems of the rows. Unless this is empty, nothing of the draft may be written.
    private(set) var refusals: [Refusal] = []
    /// The positions in `rows` of those that were drafted. Of several edits of one row, only the last.
    private var upserts: [RowKey: Int] = [:]
    /// The values of the drafted rows before the batch's deletes; empty if it has none.
    private var settled: [RowKey: [JSON]] = [:]
    private(set) var report = UploadReport()

    /// A mistake in a row.
    struct Refusal {
        let row: UploadRequest.Row
        let problem: Violation
    }

    /// An attempt with these rows of the request.
    init(_ request: UploadRequest, rows: [UploadRequest.Row], access: ProjectAccess, draft: Draft) {
        self.request = request
        self.rows = rows
        self.access = access
        self.draft = draft
    }

    /// Drafts the rows and judges them, each by the role that its verb takes, whatever bucket it came in.
    mutating func apply() throws {
        for position in rows.indices where rows[position].bucket != .deleted {
            if try upsert(rows[position]) { upserts[rows[position].key] = position }
        }
        try skipOrphans()
        let drafted = upserts.values.sorted()
        for position in drafted { try settleReferences(of: rows[position]) }
        let deletes = rows.filter { $0.bucket == .deleted }
        if !deletes.isEmpty {
            for key in upserts.keys { settled[key] = draft.entries[key]?.current.values }
        }
        try delete(deletes)
        try checkResults(of: drafted, without: Set(deletes.map(\.key)))
    }

    /// Judges the draft by the quotas, once nothing else is wrong with its rows.
    mutating func judge(by quotas: QuotaCheck) throws {
        guard refusals.isEmpty else { return }
        let violations = try quotas.violations()
        guard !violations.isEmpty else { return }
        // What the server adds by itself, such as a calendar, is no row of the batch.
        for position in upserts.values.sorted() {
            if let violation = violations[rows[position].key] { refuse(rows[position], violation) }
        }
    }

    /// Whether the sender may change the row. Judged by the row as it was before the batch, because the batch may
    /// already have given it away. A row that the batch created is the sender's.
    private func mayTouch(_ record: StoredRow, _ key: RowKey) throws -> Bool {
        if let entry = draft.entries[key], entry.isNew { return true }
        return try access.finds(
            stored(record, key), in: draft.registry.collection(key.collection), draft.registry, from: draft.reads)
    }

    /// The row as it was before the batch; one that the batch created as it is now.
    private func stored(_ record: StoredRow, _ key: RowKey) -> StoredRow { draft.entries[key]?.original ?? record }

    /// Whether the sender may make the change, by role or as the row's author. If not, the row is refused.
    private mutating func may(
        _ change: Collection.Roles.Change, _ record: StoredRow, row: UploadRequest.Row, verb: String
    ) -> Bool {
        let collection = draft.registry.collection(row.key.collection)
        let needed = access.leastRole(for: change, of: stored(record, row.key), in: collection)
        guard let violation = access.violation(of: needed, to: "\(verb) \(collection.name)") else { return true }
        refuse(row, violation)
        return false
    }

    /// Whether the sender's role is high enough to create the row. If it isn't, the row is refused.
    ///
    /// An update of a row that the sender doesn't find gets `id_unavailable` in a collection with hidden rows, whether
    /// or not there is such a row. Over REST it gets `not_found`.
    private mutating func mayCreate(_ row: UploadRequest.Row, _ collection: Collection) -> Bool {
        guard let violation = access.violation(of: collection.roles.create, to: "Creating \(row.key.collection)") else {
            return true
        }
        let mayBeHidden = row.bucket == .updated && collection.visibility != .everyone
        refuse(row, mayBeHidden ? .idUnavailable : violation)
        return false
    }

    // MARK: Created and updated

    /// Whether the row is drafted.
    private mutating func upsert(_ row: UploadRequest.Row) throws -> Bool {
        let collection = draft.registry.collection(row.key.collection)
        let edit = RowEdit(
            collection: collection, role: access.role, userID: access.caller.userID, encoding: request.encoding,
            repairs: request.onError == .repair, halves: row.extras.halves, skipsSetFields: true,
            judged: row.extras.judged)
        guard let record = try draft.record(row.key) else { return try insert(row, edit) }
        guard try mayTouch(record, row.key) else {
            // A former owner's edit is skipped: the sender's next drain says that the row is gone. Created under
            // another id, the row would exist twice.
            guard try hadRow(row.key, in: collection) else {
                // The role is judged first, so an id that is taken looks like one that is free.
                if mayCreate(row, collection) { refuse(row, .idUnavailable) }
                return false
            }
            report.skip(row.key, .deleted)
            draft.retellLoss(of: row.key)
            return false
        }
        guard may(.update, record, row: row, verb: "Changing") else { return false }
        guard !record.isDeleted else {
            report.skip(row.key, .deleted)
            try draft.restamp(row.key)
            return false
        }
        switch edit.updated(row.patch, of: record) {
        case .success(let edited):
            try draft.update(row.key) { $0 = edited.values }
            if row.bucket == .created { draft.modify(row.key) { $0.isSentAsNew = true } }
            draft.noteSent(row.extras.sent, of: row.patch.keys, in: row.key)
            if request.isStale(record, for: row) {
                draft.noteSighting(of: edited.unchanged.filter { row.extras.sent[$0] == nil }, in: row.key)
            }
            try take(row, edited)
            return true
        case .failure(let problems): return refuse(row, problems)
        }
    }

    /// Whether the sender owned the row before, or it was listed for the sender.
    private func hadRow(_ key: RowKey, in collection: Collection) throws -> Bool {
        let user = access.caller.userID
        guard !collection.isListed else { return try draft.reads.listedSpan(of: key, user: user) != nil }
        return try draft.reads.lossSeq(of: key, project: draft.project, user: user) != nil
    }

    /// Whether the row is drafted.
    private mutating func insert(_ row: UploadRequest.Row, _ edit: RowEdit) throws -> Bool {
        guard mayCreate(row, edit.collection) else { return false }
        switch edit.inserted(row.fields) {
        case .success(let edited):
            try draft.insert(row.key, values: edited.values)
            try take(row, edited)
            return true
        case .failure(let problems): return refuse(row, problems)
        }
    }

    private mutating func refuse(_ row: UploadRequest.Row, _ problems: Violations) -> Bool {
        for problem in problems.list { refuse(row, problem) }
        return false
    }

    private mutating func take(_ row: UploadRequest.Row, _ edited: RowValues) throws {
        let unknownFields = row.extras.unknownFields
        report.add(unknownFields, of: row.key)
        for field in edited.skipped { report.add(.skipped(row.key, field: field, .readOnlyField)) }
        let isAsSent = unknownFields.isEmpty && edited.repairs.isEmpty && !edited.isAltered
        guard row.wantsDelivery || !isAsSent else { return }
        let encoding = request.encoding
        let collection = draft.registry.collection(row.key.collection)
        for repair in edited.repairs {
            let field = collection.field(repair.field)!
            let from =
                field.value.isStructured && repair.from.string == nil
                ? encoding.encoded(repair.from, of: field) : repair.from
            let to = encoding.encoded(repair.to, of: field)
            report.add(.repaired(row.key, field: field.name, from: from, to: to))
        }
        try draft.restamp(row.key)
    }

    // MARK: References

    /// A new row whose parent is a tombstone becomes a tombstone too. So do new rows below it, wherever they are in the
    /// batch. Only rows that refer to the last ones are looked at again, so a chain costs no more than a heap.
    private mutating func skipOrphans() throws {
        var open = Array(upserts.keys)
        while true {
            let orphans = try open.filter { try upserts[$0] != nil && isOrphan($0) }.sorted { $0.id < $1.id }
            guard !orphans.isEmpty else { return }
            for key in orphans {
                try dropUnknownReferences(of: key)
                try draft.markDeleted(key)
                report.skip(key, .parentDeleted)
                upserts[key] = nil
            }
            open = Array(Set(orphans.flatMap { draft.draftedReferrers(of: $0).map(\.0) }))
        }
    }

    /// A tombstone may refer to deleted rows, but not to rows that never existed: the store refuses such a row.
    private mutating func dropUnknownReferences(of key: RowKey) throws {
        guard let position = upserts[key], let values = draft.entries[key]?.current.values else { return }
        let row = rows[position]
        let collection = draft.registry.collection(key.collection)
        for (field, value) in collection.places.lookedUp.map({ (collection.fields[$0], values[$0]) }) {
            let elements = value.array ?? [value]
            let known = try elements.filter { try draft.state(of: $0, in: field, for: access) != .unknown }
            guard known.count < elements.count else { continue }
            if value.array == nil, !field.value.isNullable {
                refuse(row, .unsound(field, value))
            } else {
                try draft.set(field, of: key, to: value.array == nil ? .null : .array(known))
            }
        }
    }

    private func isOrphan(_ key: RowKey) throws -> Bool {
        guard let entry = draft.entries[key], entry.isNew else { return false }
        let collection = draft.registry.collection(key.collection)
        return try collection.places.cascading.contains { position in
            let value = entry.current.values[position]
            return try draft.state(of: value, in: collection.fields[position], for: access) == .gone
        }
    }

    private mutating func settleReferences(of row: UploadRequest.Row) throws {
        guard let entry = draft.entries[row.key] else { return }
        let collection = draft.registry.collection(row.key.collection)
        for position in collection.places.lookedUp where !collection.fields[position].isServerOwned {
            let value = entry.current.values[position]
            if let original = entry.original, original.values[position] == value { continue }
            try settle(value, of: collection.fields[position], was: entry.original?.values[position], row)
        }
    }

    private mutating func settle(_ value: JSON, of field: Field, was old: JSON?, _ row: UploadRequest.Row) throws {
        let states = try (value.array ?? [value]).map { ($0, try draft.state(of: $0, in: field, for: access)) }
        if let unknown = states.first(where: { $0.1 == .unknown }) {
            return refuse(row, .unsound(field, unknown.0))
        }
        guard states.contains(where: { $0.1 == .gone }), field.user != .keep else { return }
        let clears = field.user != nil || field.reference?.onDelete == .clear
        if clears {
            let sound = states.filter { $0.1 == .sound }.map(\.0)
            let cleared: JSON = value.array == nil ? .null : .array(sound)
            try draft.set(field, of: row.key, to: cleared)
            let from = request.encoding.encoded(value, of: field)
            let to = request.encoding.encoded(cleared, of: field)
            report.add(.repaired(row.key, field: field.name, from: from, to: to))
        } else if old == nil, !field.value.isNullable {
            return refuse(row, .unsound(field, value))
        } else {
            try draft.set(field, of: row.key, to: old ?? .null)
            report.add(.skipped(row.key, field: field.name, .parentDeleted))
        }
        try draft.restamp(row.key)
    }

    // MARK: Deleted

    /// Deletes the rows as one delete, so neither their order nor the references between them make a difference.
    private mutating func delete(_ rows: [UploadRequest.Row]) throws {
        var live: [UploadRequest.Row] = []
        for row in rows where try isDeletable(row) { live.append(row) }
        let restricted = try draft.drop(live.map(\.key))
        for row in live {
            if let problem = restricted[row.key] {
                refuse(row, problem)
            } else {
                try judge(row, draft.checks.checkDelete)
            }
        }
    }

    private mutating func isDeletable(_ row: UploadRequest.Row) throws -> Bool {
        guard let record = try draft.record(row.key), try mayTouch(record, row.key) else {
            report.skip(row.key, .notFound)
            return false
        }
        guard may(.delete, record, row: row, verb: "Deleting") else { return false }
        guard record.isDeleted else { return true }
        // A new row that `skipOrphans` made a tombstone is already gone, as requested.
        if draft.entries[row.key]?.becameDeleted != true {
            report.skip(row.key, .deleted)
            try draft.restamp(row.key)
        }
        return false
    }

    // MARK: Results

    /// Judges what became of the drafted rows, which are given by position. `deletes` are the rows that were named.
    private mutating func checkResults(of drafted: [Int], without deletes: Set<RowKey>) throws {
        var changed: [Int] = []
        for position in drafted {
            let key = rows[position].key
            guard let entry = draft.entries[key] else { continue }
            guard !entry.current.isDeleted else {
                if !deletes.contains(key) { report.skip(key, .parentDeleted) }
                continue
            }
            try reportCleared(key, entry)
            if entry.contentChanged { changed.append(position) }
        }
        for position in changed { try judge(rows[position], draft.checks.checkRules) }
        // A row that is refused anyway must not cost another one its key. The next round judges the keys.
        guard refusals.isEmpty || request.onError == .rejectBatch else { return }
        for position in changed { try judge(rows[position], draft.checks.checkKeys) }
        if refusals.isEmpty { try checkSight() }
    }

    /// Refuses the row with which a change of sight begins that is too large.
    private mutating func checkSight() throws {
        guard draft.registry.hasLists else { return }
        let dirty = draft.entries.filter(\.value.isDirty).map(\.key)
        do {
            _ = try ListedRows(of: draft, Dictionary(grouping: dirty, by: \.collection))
        } catch let error as ListedRows.TooLarge {
            // The root is a row of the batch, unless the server changed it for the sake of one.
            guard let row = rows.last(where: { $0.key == error.key }) else { throw Problem(refusing: error) }
            refuse(row, error.violation)
        }
    }

    /// Reports references that the row got in this batch and lost again, because the batch deletes what they refer to.
    private mutating func reportCleared(_ key: RowKey, _ entry: Draft.Entry) throws {
        guard let settled = settled[key] else { return }
        let collection = draft.registry.collection(key.collection)
        for position in collection.places.lookedUp {
            let field = collection.fields[position]
            let from = settled[position]
            let to = entry.current.values[position]
            guard from != to, entry.original?.values[position] != from else { continue }
            let encoding = request.encoding
            report.add(
                .repaired(
                    key, field: field.name, from: encoding.encoded(from, of: field),
                    to: encoding.encoded(to, of: field)))
            try draft.restamp(key)
        }
    }

    private mutating func judge(_ row: UploadRequest.Row, _ check: (RowKey) throws -> Void) throws {
        do {
            try check(row.key)
        } catch let problem as Violation {
            refuse(row, problem)
        }
    }

    private mutating func refuse(_ row: UploadRequest.Row, _ problem: Violation) {
        refusals.append(Refusal(row: row, problem: problem))
    }
}
