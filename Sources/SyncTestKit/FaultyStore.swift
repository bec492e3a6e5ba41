package import SyncEngine
import SyncProtocol
import SyncSchema

/// A store whose writes fail at a chosen call of the port: what is behind it must then be as before.
package struct FaultyStore<Base: SyncStore>: SyncStore {
    /// What a failing call throws.
    package struct Fault: Error {}

    private let base: Base
    private let failingCall: Int

    /// The `failingCall`th call of each write transaction, counted from 1, throws `Fault`.
    package init(_ base: Base, failingCall: Int) {
        self.base = base
        self.failingCall = failingCall
    }

    package func read<Value: Sendable>(
        _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value { try await base.read(body) }

    package func stream(
        _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws { try await base.stream(body) }

    package func write<Value: Sendable>(
        _ body: @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await base.write { try body(FaultyTransaction($0, callsLeft: failingCall)) }
    }
}

/// Counts the calls of one transaction down.
final class FaultyTransaction: WriteTransaction {
    private let base: any WriteTransaction
    private var callsLeft: Int

    init(_ base: any WriteTransaction, callsLeft: Int) {
        self.base = base
        self.callsLeft = callsLeft
    }

    func counted<Value>(_ call: (any WriteTransaction) throws -> Value) throws -> Value {
        callsLeft -= 1
        if callsLeft == 0 { throw FaultyStore<ModelStore>.Fault() }
        return try call(base)
    }

    func project(_ id: String) throws -> ProjectState? { try counted { try $0.project(id) } }
    func access(project: String, user: Int64) throws -> Access? {
        try counted { try $0.access(project: project, user: user) }
    }
    func projects(of user: Int64?, after: String, limit: Int) throws -> [StoredRow] {
        try counted { try $0.projects(of: user, after: after, limit: limit) }
    }
    func record(_ key: RowKey) throws -> StoredRow? { try counted { try $0.record(key) } }
    func records(in collection: Collection, project: String) throws -> [StoredRow] {
        try counted { try $0.records(in: collection, project: project) }
    }
    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    {
        try counted { try $0.records(in: collection, project: project, where: field, holdsAny: values) }
    }
    func records(in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]) throws
        -> [StoredRow]
    {
        try counted { try $0.records(in: collection, project: project, with: key, values: values) }
    }
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        try base.scan(scan, into: &page)
    }
    func counts(project: String) throws -> [String: RowCounts] { try counted { try $0.counts(project: project) } }
    func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest] {
        try counted { try $0.digests(project: project, of: audience) }
    }
    func answer(to key: IdempotencyKey) throws -> StoredAnswer? { try counted { try $0.answer(to: key) } }
    func list(_ collection: Collection, project: String, rows: SegmentScan.Rows, after: String, limit: Int) throws
        -> [StoredRow]
    {
        try counted { try $0.list(collection, project: project, rows: rows, after: after, limit: limit) }
    }
    func secret(_ name: String) throws -> String? { try counted { try $0.secret(name) } }

    func drawSeq(project: String) throws -> SyncSeq { try counted { try $0.drawSeq(project: project) } }
    func drawShortID(project: String) throws -> Int64 { try counted { try $0.drawShortID(project: project) } }
    func createProject(_ id: String) throws { try counted { try $0.createProject(id) } }
    func insert(_ records: [StoredRow], into collection: Collection) throws {
        try counted { try $0.insert(records, into: collection) }
    }
    func update(_ records: [StoredRow], in collection: Collection) throws {
        try counted { try $0.update(records, in: collection) }
    }
    func restamp(_ records: [StoredRow], in collection: Collection) throws {
        try counted { try $0.restamp(records, in: collection) }
    }
    func vacate(_ ids: [String], in collection: Collection) throws {
        try counted { try $0.vacate(ids, in: collection) }
    }
    func bury(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int {
        try counted { try $0.bury(collection, project: project, at: seq) }
    }
    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try counted { try $0.setState(project: project, isArchived: isArchived, isDeleted: isDeleted) }
    }
    func setAccess(project: String, user: Int64, _ access: Access) throws {
        try counted { try $0.setAccess(project: project, user: user, access) }
    }
    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        try counted { try $0.addCounts(project: project, collection: collection, change) }
    }
    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws {
        try counted { try $0.addDigest(project: project, collection: collection, of: audience, change) }
    }
    func dropDigests(project: String) throws { try counted { try $0.dropDigests(project: project) } }
    func storeAnswer(_ answer: StoredAnswer) throws { try counted { try $0.storeAnswer(answer) } }
    func forgetAnswers(before date: Timestamp) throws { try counted { try $0.forgetAnswers(before: date) } }
    func setSecret(_ name: String, _ value: String) throws { try counted { try $0.setSecret(name, value) } }
}
