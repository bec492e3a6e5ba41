import SyncProtocol
import SyncSchema
import SyncStore

/// A transaction on a copy of the model's state.
final class ModelTransaction: WriteTransaction {
    var state: ModelState
    let registry: Registry
    /// The number of this transaction, once it is drawn.
    var drawn: CommitNumber?

    init(_ state: ModelState, _ registry: Registry) {
        self.state = state
        self.registry = registry
    }

    // MARK: Access

    func project(_ id: String) -> ProjectState? {
        state.projects[id].map {
            ProjectState(
                id: id, head: SyncSeq($0.head), isArchived: $0.isArchived, isDeleted: $0.isDeleted,
                horizon: SyncSeq($0.horizon), historyFloor: SyncSeq($0.historyFloor),
                lastShortID: $0.shortIDs)
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

    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON])
        -> [StoredRow]
    {
        let (position, wanted) = (collection.position(of: field), Set(values).subtracting([.null]))
        return records(in: collection, project: project).filter { row in
            let value = row.values[position]
            return wanted.contains(value) || value.array?.contains(where: wanted.contains) ?? false
        }
    }

    func records(
        in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]
    ) -> [StoredRow] {
        records(in: collection, project: project).filter { row in
            key.condition.allSatisfy { row.values[collection.position(named: $0.key)] == $0.value }
                && key.fields.map { row.values[collection.position(named: $0)] } == values
        }
    }

    func list(
        _ collection: Collection, project: String, rows: SegmentScan.Rows, after: CreationPosition, limit: Int
    ) -> [StoredRow] {
        let visible = records(in: collection, project: project).filter { row in
            guard case .listed(let user) = rows else { return rows.selects(row, in: collection) }
            return isListed(RowKey(collection.name, row.id), for: user)
        }
        return Array(visible.sorted { $0.creation < $1.creation }.filter { after < $0.creation }.prefix(limit))
    }

    func scan(_ scan: SegmentScan, into page: inout PageWriter) -> SegmentScan.Outcome {
        var outcome = SegmentScan.Outcome()
        for (place, row) in places(of: scan) {
            guard outcome.hasRoom(in: scan, page) else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            outcome.last = place
            guard serves(row, in: scan), let bucket = scan.bucket(of: row), outcome.takes(bucket, in: scan) else {
                continue
            }
            if bucket == .deleted || bucket == .left {
                page.id(row.id, in: bucket)
            } else {
                let json = row.json(in: scan.collection, as: scan.delivery.encoding).of(project: scan.project)
                page.row(json, isCreated: bucket == .created)
            }
        }
        return outcome
    }

    func digest(of scan: SegmentScan) -> CollectionDigest? {
        let rows = places(of: scan).map(\.1)
        guard rows.count <= scan.examineLimit else { return nil }
        return rows.filter { !$0.isDeleted && serves($0, in: scan) }.reduce(into: .empty) { digest, row in
            digest.insert(row.id, row.version)
        }
    }

    /// The rows that a scan meets, in its order.
    private func places(of scan: SegmentScan) -> [(KeysetPosition, StoredRow)] {
        candidates(of: scan).filter { scan.rows.selects($0, in: scan.collection) }
            .filter { !(scan.isLiveOnly || scan.part.map { $0.source != .numbered } ?? false) || !$0.isDeleted }
            .compactMap { row in place(of: row, in: scan).map { ($0, row) } }
            .filter { $0.0.seq <= scan.upper && isBefore(scan.position, $0.0, in: scan) }
            .sorted { isBefore($0.0, $1.0, in: scan) }
    }

    private func isBefore(_ one: KeysetPosition, _ other: KeysetPosition, in scan: SegmentScan) -> Bool {
        guard let part = scan.part else { return (one.seq, one.id) < (other.seq, other.id) }
        return part.isBefore(one, other, in: part.path(of: scan.collection, in: registry))
    }

    private func place(of row: StoredRow, in scan: SegmentScan) -> KeysetPosition? {
        guard let part = scan.part else { return KeysetPosition(seq: scan.order(of: row), id: row.id) }
        let path = part.path(of: scan.collection, in: registry)
        return part.position(of: chain(from: row, path), in: path)
    }

    private func serves(_ row: StoredRow, in scan: SegmentScan) -> Bool {
        guard let part = scan.part, !row.isDeleted else { return true }
        let path = part.path(of: scan.collection, in: registry)
        return part.serves(chain(from: row, path), of: path, in: registry)
    }

    /// The row and those that it follows, as far as they decide whether it is in a part.
    private func chain(from row: StoredRow, _ path: [Collection]) -> [StoredRow] {
        var rows = [row]
        for (follower, target) in zip(path, path.dropFirst()) {
            let last = rows[rows.count - 1]
            guard let id = follower.follows.flatMap({ last.values[follower.position(named: $0)].string }),
                let next = state.rows[RowKey(target.name, id)]
            else { break }
            rows.append(next)
        }
        return rows
    }

    /// The rows of a segment before filtering. A lost row counts as a tombstone of the commit that took it away.
    private func candidates(of scan: SegmentScan) -> [StoredRow] {
        let all = state.rows.filter { $0.key.collection == scan.collection.name && $0.value.project == scan.project }
        let user: Int64
        switch scan.rows {
        case .lost(let owner): user = owner
        case .listed(let user):
            return all.compactMap { key, row in state.listed[.init(row: key, user: user)].map(row.listed) }
        case .beside(let user, let which):
            return all.map { key, row in
                let span = state.listed[.init(row: key, user: user)]
                return row.beside(span, which, since: scan.knownTombstones, upTo: scan.upper)
            }
        default: return all.map(\.value)
        }
        let lost = state.lost[.init(project: scan.project, user: user)] ?? [:]
        return lost.filter { $0.key.collection == scan.collection.name }.compactMap { key, seq in
            guard var row = state.rows[key] else { return nil }
            (row.isDeleted, row.seq) = (true, seq)
            return row
        }
    }

    func lossSeq(of key: RowKey, project: String, user: Int64) -> SyncSeq? {
        state.lost[.init(project: project, user: user)]?[key]
    }

    func listedSpan(of key: RowKey, user: Int64) -> ListedSpan? { state.listed[.init(row: key, user: user)] }

    func isListed(_ key: RowKey, for user: Int64) -> Bool {
        listedSpan(of: key, user: user).map { $0.gone == nil } ?? false
    }

    func referrers(to ids: [String], through field: Field, of collection: Collection, limit: Int) -> [RowStamp] {
        let (position, wanted) = (collection.position(of: field), Set(ids.map(JSON.string)))
        let rows = state.rows.filter { $0.key.collection == collection.name && !$0.value.isDeleted }.values
        return rows.filter { wanted.contains($0.values[position]) }.prefix(limit)
            .map { RowStamp(id: $0.id, version: $0.version) }
    }

    func counts(project: String) -> [String: RowCounts] { state.counts[project] ?? [:] }

    func lastConcealment(project: String, in collection: Collection) -> SyncSeq {
        let hidden = state.rows.filter { $0.key.collection == collection.name }.values
            .filter { $0.project == project && $0.isGated }
        return hidden.map(\.gateSeq).max() ?? .zero
    }

    func digests(project: String, of audience: Audience) -> [String: CollectionDigest] {
        state.digests[project]?[audience] ?? [:]
    }

    // MARK: Writes

    func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq {
        guard state.projects[project.id]?.head == project.head.rawValue else { throw StaleProject() }
        let seq = SyncSeq(project.head.rawValue + 1)
        state.projects[project.id]!.head = seq.rawValue
        state.projects[project.id]!.shortIDs += count
        return seq
    }

    func createProject(_ id: String) { state.projects[id] = ModelState.Project() }

    func forgetUnfinished(_ project: String) {
        guard state.projects[project]?.isDeleted == true,
            state.rows[RowKey(registry.projects.name, project)] == nil
        else { return }
        state.rows = state.rows.filter { $0.value.project != project }
        state.access = state.access.filter { $0.key.project != project }
        state.counts[project] = nil
        state.projects[project] = nil
    }

    func insert(_ records: [StoredRow], into collection: Collection) { put(records, collection) }

    func update(_ records: [StoredRow], in collection: Collection) { put(records, collection) }

    func restamp(_ records: [StoredRow], in collection: Collection) {
        put(
            records.map { record in
                var stamped = record
                stamped.values = state.rows[RowKey(collection.name, record.id)]!.values
                return stamped
            }, collection)
    }

    func vacate(_ ids: [String], in collection: Collection) {}

    func handOver(_ rows: [HandOver], of collection: Collection, project: String, at seq: SyncSeq) {
        for row in rows {
            let key = RowKey(collection.name, row.id)
            if let user = row.from { state.lost[.init(project: project, user: user), default: [:]][key] = seq }
            if let user = row.to { state.lost[.init(project: project, user: user)]?[key] = nil }
        }
    }

    func list(_ changes: [ListedChange], of collection: Collection, project: String, at seq: SyncSeq) {
        for change in changes {
            let key = RowKey(collection.name, change.id)
            for (place, span) in state.listed where place.row == key && span.gone == nil && change.isDelivered {
                state.listed[place] = ListedSpan(came: span.came, gone: nil, seq: seq)
            }
            for user in change.came {
                state.listed[.init(row: key, user: user)] = ListedSpan(came: seq, gone: nil, seq: seq)
            }
            for user in change.went {
                let place = ModelState.Listed(row: key, user: user)
                guard let span = state.listed[place] else { continue }
                state.listed[place] = ListedSpan(came: span.came, gone: seq, seq: seq)
            }
        }
    }

    func relist(_ key: RowKey, for user: Int64, at seq: SyncSeq) {
        let place = ModelState.Listed(row: key, user: user)
        guard let span = state.listed[place] else { return }
        state.listed[place] = ListedSpan(came: span.came, gone: span.gone, seq: seq)
    }

    func tombstoneAll(_ collection: Collection, project: String, at seq: SyncSeq) -> Int {
        let rows = records(in: collection, project: project).map { row in
            var row = row
            (row.isDeleted, row.version, row.seq, row.contentSeq) = (true, row.version.next, seq, seq)
            return row
        }
        put(rows, collection)
        return rows.count
    }

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

    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) {
        state.digests[project, default: [:]][audience, default: [:]][collection, default: .empty] += change
    }

    func dropDigests(project: String) { state.digests[project] = nil }

    // MARK: Records of the server's own

    func answer(to key: IdempotencyKey) -> StoredAnswer? { state.answers[key] }
    func storeAnswer(_ answer: StoredAnswer) { state.answers[answer.key] = answer }
    func forgetAnswers(before date: Instant, limit: Int) -> Int {
        let old = state.answers.filter { $0.value.storedAt < date }.prefix(limit)
        for (key, _) in old { state.answers[key] = nil }
        return old.count
    }

    func secret(_ name: String) -> String? { state.secrets[name] }
    func setSecret(_ name: String, _ value: String) { state.secrets[name] = value }
}
