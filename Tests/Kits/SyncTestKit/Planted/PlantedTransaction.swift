import SyncProtocol
import SyncSchema
package import SyncStore

/// Three mistakes have no effect here because a store can't make them: `noBodyHash`, `watermarkPerPage` and
/// `answersByNumberAlone`.
extension PlantedBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        self == .handOverUntold
            ? PlantedListedBug.handOverUntold.planted(in: transaction, isWrite: isWrite)
            : PlantedTransaction(transaction, self)
    }
}

/// A transaction of a server that makes a mistake.
private final class PlantedTransaction: ForwardingTransaction {
    private let bug: PlantedBug
    /// The user whose access was read last: the one who asks.
    private var user: Int64?

    init(_ base: any WriteTransaction, _ bug: PlantedBug) {
        self.bug = bug
        super.init(base)
    }

    // MARK: Reads

    override func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        try base.scan(bug == .unboundedUpperEnd ? scan.unbounded : scan, into: &page)
    }

    override func project(_ id: String) throws -> ProjectState? {
        var state = try base.project(id)
        if bug == .purgeWithoutHorizon { state?.horizon = .zero }
        if bug == .sinceAheadNotRefused { state?.floor = .zero }
        return state
    }

    override func access(project: String, user: Int64) throws -> Access? {
        self.user = user
        return try base.access(project: project, user: user).map { access in
            Access(
                role: access.role, widenedSeq: bug == .wideningNotRedelivered ? .zero : access.widenedSeq,
                narrowedSeq: bug == .narrowingNotDelivered ? .zero : access.narrowedSeq, history: access.history)
        }
    }

    override func record(_ key: RowKey) throws -> StoredRow? {
        guard var row = try base.record(key) else { return nil }
        if bug == .foreignRowTakenForOwn, key.collection == "time_entries", let user {
            // The fields are sorted by name, and `user` is the last one.
            row.values[row.values.count - 1] = .int(user)
        }
        if bug == .gateNotAskedByUploads { row.isGated = false }
        return row
    }

    // MARK: Writes

    override func insert(_ records: [StoredRow], into collection: Collection) throws {
        try base.insert(records.map(counted), into: collection)
    }

    override func update(_ records: [StoredRow], in collection: Collection) throws {
        try base.update(records.map(counted), in: collection)
    }

    override func restamp(_ records: [StoredRow], in collection: Collection) throws {
        try base.restamp(stamped(records, collection).map(counted), in: collection)
    }

    override func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws {
        try base.addToInbox(edits, project: project, at: at)
        guard bug == .projectRefusalsRestamp, let state = try base.project(project), try refuses(edits, state) else {
            return
        }
        let (registry, seq) = (try Registry.builtIn(), try base.drawSeq(of: state, shortIDs: 0))
        try base.number(NumberedCommit(project: project, seq: seq, at: at))
        for key in Set(edits.map(\.key)) {
            guard var row = try base.record(key) else { continue }
            row.seq = seq
            try base.restamp([row], in: registry.collection(key.collection))
        }
    }

    private func refuses(_ edits: [LostEdit], _ project: ProjectState) throws -> Bool {
        if project.isArchived || project.isDeleted { return true }
        return try edits.contains { try base.access(project: project.id, user: $0.userID)?.role == nil }
    }

    override func storeAnswer(_ answer: StoredAnswer) throws {
        if bug != .recordNotStored { try base.storeAnswer(answer) }
    }

    // MARK: Files

    override func comparesFiles() throws -> Bool { try bug != .comparisonForgotten && base.comparesFiles() }

    override func unnamedFiles(before date: Instant, limit: Int) throws -> [StoredFile] {
        let unnamed = try base.unnamedFiles(before: date, limit: limit)
        guard bug == .namedFileSwept, unnamed.isEmpty else { return unnamed }
        return try base.storedFiles(areMissing: false, after: nil, limit: 1)
    }

    private func counted(_ row: StoredRow) -> StoredRow {
        guard bug == .perRowCounterAsCursor else { return row }
        var row = row
        row.seq = SyncSeq(row.version.rawValue)
        return row
    }

    /// The records with the sequence numbers that they get. Their values stay.
    private func stamped(_ records: [StoredRow], _ collection: Collection) throws -> [StoredRow] {
        switch bug {
        case .missedCascadeTombstone where collection.name == "tasks":
            let ids = Set(records.map { JSON.string($0.id) })
            let parent = collection.position(named: "parent")
            return try records.map { ids.contains($0.values[parent]) ? try unstamped($0, collection) : $0 }
        case .refusedNotRestamped:
            return try records.filter { row in
                guard let stored = try base.record(RowKey(collection.name, row.id)) else { return true }
                return stored.isDeleted != row.isDeleted || stored.isGated != row.isGated
            }
        default: return records
        }
    }

    private func unstamped(_ row: StoredRow, _ collection: Collection) throws -> StoredRow {
        var row = row
        row.seq = try base.record(RowKey(collection.name, row.id))?.seq ?? row.seq
        return row
    }
}

extension SegmentScan {
    fileprivate var unbounded: SegmentScan {
        var scan = SegmentScan(
            collection: collection, project: project, rows: rows, position: position, upper: .maximum,
            knownTombstones: knownTombstones, rowLimit: rowLimit, examineLimit: examineLimit)
        (scan.isLiveOnly, scan.oldRows, scan.delivery) = (isLiveOnly, oldRows, delivery)
        (scan.buckets, scan.byteLimit) = (buckets, byteLimit)
        return scan
    }
}
