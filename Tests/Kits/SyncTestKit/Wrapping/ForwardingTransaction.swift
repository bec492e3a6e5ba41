import SyncProtocol
import SyncSchema
import SyncStore

/// A transaction that forwards every call to its base. Decorators of a store override some of them.
class ForwardingTransaction: WriteTransaction {
    let base: any WriteTransaction

    init(_ base: any WriteTransaction) { self.base = base }

    /// Every call except `scan` passes through here.
    func forward<Value>(_ call: (any WriteTransaction) throws -> Value) throws -> Value { try call(base) }

    func now(by clock: WallClock) throws -> Instant { try forward { try $0.now(by: clock) } }
    func project(_ id: String) throws -> ProjectState? { try forward { try $0.project(id) } }
    func newestNumber() throws -> CommitNumber { try forward { try $0.newestNumber() } }
    func numberedCommits(
        after number: CommitNumber, limit: Int
    ) throws -> [(number: CommitNumber, commit: NumberedCommit)] {
        try forward { try $0.numberedCommits(after: number, limit: limit) }
    }
    func number(_ commit: NumberedCommit) throws { try forward { try $0.number(commit) } }
    func access(project: String, user: Int64) throws -> Access? {
        try forward { try $0.access(project: project, user: user) }
    }
    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow] {
        try forward { try $0.projects(of: user, after: after, limit: limit) }
    }
    func unnamedFiles(before date: Instant, limit: Int) throws -> [StoredFile] {
        try forward { try $0.unnamedFiles(before: date, limit: limit) }
    }
    func comparesFiles() throws -> Bool { try forward { try $0.comparesFiles() } }
    func record(_ key: RowKey) throws -> StoredRow? { try forward { try $0.record(key) } }
    func records(in collection: Collection, project: String) throws -> [StoredRow] {
        try forward { try $0.records(in: collection, project: project) }
    }
    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    {
        try forward { try $0.records(in: collection, project: project, where: field, holdsAny: values) }
    }
    func records(in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]) throws
        -> [StoredRow]
    {
        try forward { try $0.records(in: collection, project: project, with: key, values: values) }
    }
    func head(of project: String, at number: CommitNumber) throws -> SyncSeq? {
        try forward { try $0.head(of: project, at: number) }
    }
    func commits(to project: String, after number: CommitNumber, limit: Int) throws -> [NumberedCommit] {
        try forward { try $0.commits(to: project, after: number, limit: limit) }
    }
    func stints(of user: Int64) throws -> [Stint] { try forward { try $0.stints(of: user) } }
    func stints(of user: Int64, in project: String) throws -> [Stint] {
        try forward { try $0.stints(of: user, in: project) }
    }

    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        try base.scan(scan, into: &page)
    }
    func digest(of scan: SegmentScan) throws -> CollectionDigest? { try forward { try $0.digest(of: scan) } }
    func lossSeq(of key: RowKey, project: String, user: Int64) throws -> SyncSeq? {
        try forward { try $0.lossSeq(of: key, project: project, user: user) }
    }
    func listedSpan(of key: RowKey, user: Int64) throws -> ListedSpan? {
        try forward { try $0.listedSpan(of: key, user: user) }
    }
    func referrers(
        to ids: [String], through field: Field, of collection: Collection, limit: Int
    ) throws -> [RowStamp] {
        try forward { try $0.referrers(to: ids, through: field, of: collection, limit: limit) }
    }
    func counts(project: String) throws -> [String: RowCounts] { try forward { try $0.counts(project: project) } }
    func lastConcealment(project: String, in collection: Collection) throws -> SyncSeq {
        try forward { try $0.lastConcealment(project: project, in: collection) }
    }
    func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest] {
        try forward { try $0.digests(project: project, of: audience) }
    }
    func answer(to key: IdempotencyKey) throws -> StoredAnswer? { try forward { try $0.answer(to: key) } }
    func list(
        _ collection: Collection, project: String, rows: SegmentScan.Rows, after: CreationPosition, limit: Int
    ) throws -> [StoredRow] {
        try forward { try $0.list(collection, project: project, rows: rows, after: after, limit: limit) }
    }
    func ids(of listing: Listing) throws -> [String] { try forward { try $0.ids(of: listing) } }
    func secret(_ name: String) throws -> String? { try forward { try $0.secret(name) } }

    func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq {
        try forward { try $0.drawSeq(of: project, shortIDs: count) }
    }
    func createProject(_ id: String) throws { try forward { try $0.createProject(id) } }
    func forgetUnfinished(_ project: String) throws { try forward { try $0.forgetUnfinished(project) } }
    func insert(_ records: [StoredRow], into collection: Collection) throws {
        try forward { try $0.insert(records, into: collection) }
    }
    func update(_ records: [StoredRow], in collection: Collection) throws {
        try forward { try $0.update(records, in: collection) }
    }
    func restamp(_ records: [StoredRow], in collection: Collection) throws {
        try forward { try $0.restamp(records, in: collection) }
    }
    func addToInbox(_ edits: [LostEdit], project: String, at: Instant) throws {
        try forward { try $0.addToInbox(edits, project: project, at: at) }
    }
    func vacate(_ ids: [String], in collection: Collection) throws {
        try forward { try $0.vacate(ids, in: collection) }
    }
    func tombstoneAll(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int {
        try forward { try $0.tombstoneAll(collection, project: project, at: seq) }
    }
    func handOver(_ rows: [HandOver], of collection: Collection, project: String, at seq: SyncSeq) throws {
        try forward { try $0.handOver(rows, of: collection, project: project, at: seq) }
    }
    func list(_ changes: [ListedChange], of collection: Collection, project: String, at seq: SyncSeq) throws {
        try forward { try $0.list(changes, of: collection, project: project, at: seq) }
    }
    func relist(_ key: RowKey, for user: Int64, at seq: SyncSeq) throws {
        try forward { try $0.relist(key, for: user, at: seq) }
    }
    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try forward { try $0.setState(project: project, isArchived: isArchived, isDeleted: isDeleted) }
    }
    func setAccess(project: String, user: Int64, _ access: Access) throws {
        try forward { try $0.setAccess(project: project, user: user, access) }
    }
    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        try forward { try $0.addCounts(project: project, collection: collection, change) }
    }
    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws {
        try forward { try $0.addDigest(project: project, collection: collection, of: audience, change) }
    }
    func dropDigests(project: String) throws { try forward { try $0.dropDigests(project: project) } }
    func storeAnswer(_ answer: StoredAnswer) throws { try forward { try $0.storeAnswer(answer) } }
    func forgetAnswers(before date: Instant, limit: Int) throws -> Int {
        try forward { try $0.forgetAnswers(before: date, limit: limit) }
    }
    func setSecret(_ name: String, _ value: String) throws { try forward { try $0.setSecret(name, value) } }
}
