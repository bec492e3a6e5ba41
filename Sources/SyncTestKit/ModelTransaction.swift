import SyncEngine
import SyncProtocol
import SyncSchema

/// A transaction on a copy of the model's state.
final class ModelTransaction: WriteTransaction {
    var state: ModelState
    private let registry: Registry

    init(_ state: ModelState, _ registry: Registry) {
        self.state = state
        self.registry = registry
    }

    // MARK: Access

    func project(_ id: String) -> ProjectState? {
        state.projects[id].map {
            ProjectState(id: id, head: SyncSeq($0.head), isArchived: $0.isArchived, isDeleted: $0.isDeleted)
        }
    }

    func access(project: String, user: Int64) -> Access? { state.access[.init(project: project, user: user)] }

    func projects(of user: Int64?, after: String, limit: Int) -> [StoredRow] {
        let live = state.rows.filter { $0.key.collection == registry.projects.name && !$0.value.isDeleted }.values
        let mine = live.filter { row in
            user.map { state.access[.init(project: row.id, user: $0)]?.role != nil } ?? true
        }
        return Array(mine.filter { $0.id > after }.sorted { $0.id < $1.id }.prefix(limit))
    }

    // MARK: Rows

    func record(_ key: RowKey) -> StoredRow? { state.rows[key] }

    func records(in collection: Collection, project: String) -> [StoredRow] {
        state.rows.filter { $0.key.collection == collection.name && $0.value.project == project && !$0.value.isDeleted }
            .map(\.value)
    }

    func records(in collection: Collection, project: String, where field: Field, holds value: JSON) -> [StoredRow] {
        let position = collection.position(field.name)!
        return records(in: collection, project: project).filter {
            $0.values[position] == value || $0.values[position].array?.contains(value) ?? false
        }
    }

    func records(
        in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]
    ) -> [StoredRow] {
        records(in: collection, project: project).filter { row in
            key.condition.allSatisfy { row.values[collection.position($0.key)!] == $0.value }
                && key.fields.map { row.values[collection.position($0)!] } == values
        }
    }

    func scan(_ scan: SegmentScan, into page: inout PageWriter) -> SegmentScan.Outcome {
        var outcome = SegmentScan.Outcome()
        for row in rows(of: scan) {
            guard outcome.served < scan.rowLimit, outcome.examined < scan.examineLimit else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            outcome.last = KeysetPosition(seq: scan.order(of: row), id: row.id)
            switch scan.form(isDeleted: row.isDeleted, seq: row.seq, createdSeq: row.createdSeq, gateSeq: row.gateSeq) {
            case .live: page.row(row.json(in: scan.collection))
            case .tombstone: page.tombstone(row.id)
            case .nothing: continue
            }
            outcome.served += 1
        }
        return outcome
    }

    private func rows(of scan: SegmentScan) -> [StoredRow] {
        state.rows.filter { $0.key.collection == scan.collection.name && $0.value.project == scan.project }.values
            .filter { scan.selects($0) }
            .filter { scan.order(of: $0) <= scan.upper }
            .filter { (scan.order(of: $0), $0.id) > (scan.position.seq, scan.position.id) }
            .sorted { (scan.order(of: $0), $0.id) < (scan.order(of: $1), $1.id) }
    }

    func counts(project: String) -> [String: RowCounts] { state.counts[project] ?? [:] }

    // MARK: Writes

    func drawSeq(project: String) throws -> SyncSeq {
        guard state.projects[project] != nil else { throw Problem(.notFound, "There is no project \(project).") }
        state.projects[project]!.head += 1
        return SyncSeq(state.projects[project]!.head)
    }

    func drawShortID(project: String) throws -> Int64 {
        guard state.projects[project] != nil else { throw Problem(.notFound, "There is no project \(project).") }
        state.projects[project]!.shortIDs += 1
        return state.projects[project]!.shortIDs
    }

    func createProject(_ id: String) { state.projects[id] = ModelState.Project() }

    func insert(_ records: [StoredRow], into collection: Collection) { put(records, collection) }

    func update(_ records: [StoredRow], in collection: Collection) { put(records, collection) }

    func vacate(_ ids: [String], in collection: Collection) {}

    private func put(_ rows: [StoredRow], _ collection: Collection) {
        for row in rows { state.rows[RowKey(collection.name, row.id)] = row }
    }

    func setState(project: String, isArchived: Bool, isDeleted: Bool) {
        state.projects[project]?.isArchived = isArchived
        state.projects[project]?.isDeleted = isDeleted
    }

    func setAccess(project: String, user: Int64, _ access: Access) {
        state.access[.init(project: project, user: user)] = access
    }

    func addCounts(project: String, collection: String, _ change: RowCounts) {
        var counts = state.counts[project]?[collection] ?? RowCounts(live: 0, tombstones: 0)
        counts.live += change.live
        counts.tombstones += change.tombstones
        state.counts[project, default: [:]][collection] = counts
    }

    // MARK: Records of the server's own

    func batch(project: String, user: Int64, batchID: String) -> StoredBatch? {
        state.batches[.init(project: project, user: user)]?[batchID]
    }

    func storeBatch(_ batch: StoredBatch) {
        state.batches[.init(project: batch.project, user: batch.userID), default: [:]][batch.batchID] = batch
    }

    func forgetBatches(before date: Timestamp) {
        state.batches = state.batches.mapValues { $0.filter { $0.value.storedAt >= date } }
    }

    func secret(_ name: String) -> String? { state.secrets[name] }
    func setSecret(_ name: String, _ value: String) { state.secrets[name] = value }
}

extension SegmentScan {
    fileprivate func selects(_ row: StoredRow) -> Bool {
        switch rows {
        case .all: true
        case .own(let field, let user): row.values[collection.position(field)!] == .int(user)
        case .ungated: !row.isGated
        case .hidden: row.isGated
        }
    }

    fileprivate func order(of row: StoredRow) -> SyncSeq {
        if case .hidden = rows { row.gateSeq } else { row.seq }
    }
}
