import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Rows that leave the part, in each local state.
@Suite struct OutsideRowsTests {
    private let scratch: Scratch
    private let replica: Replica
    private static let mine = PartFilter(stored: #"{"tasks":[{"assignee":"@me"}]}"#)

    /// A replica of a part with the tasks `a` and `b`, at 10.
    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
        try take(updated: [row("a"), row("b")], at: 10)
    }

    private func row(_ id: String, version: Int64 = 1, _ name: String = "server") -> JSON {
        ["id": .string(id), "server_version": .int(version), "name": .string(name)]
    }

    @discardableResult
    private func take(
        updated: [JSON] = [], deleted: [JSON] = [], left: [String] = [], at number: Int64, cursor: String? = nil,
        digest: JSON? = .none, filter: PartFilter = mine, after known: ReplicaState? = nil
    ) throws -> Replica.Receipt? {
        var tasks = Fixture.changes(updated: updated, deleted: deleted).object ?? [:]
        tasks["left"] = .array(left.map(JSON.string))
        let json = Fixture.page(["tasks": .object(tasks)], timestamp: .int(number), cursor: cursor, digest: digest)
        var page = try PageReader(schema: Fixture.schema).page(json.bytes, head: "\(number)")
        (page.filter, page.isFiltered, page.wantsDigest) = (filter, true, true)
        return try replica.apply(page, of: Fixture.schema, after: known ?? replica.state(), at: .test)
    }

    private func outside() throws -> Set<String> { try replica.read { try OutsideRows(db: $0).ids(of: "tasks") } }

    /// Sends what is unsent, and settles it as applied by the commit `number`.
    private func push(_ id: String, at number: Int64, version: Int64 = 2) throws {
        let limits = BatchLimits(rows: 9, bytes: 9999)
        guard case .batch(let batch) = try replica.nextBatch(limits, at: .test, newID: { "batch-\(number)" }) else {
            throw SyncError.violation("there is nothing to send")
        }
        let row: JSON = ["id": .string(id), "server_version": .int(version)]
        let answer: JSON = [
            "client_batch_id": .string(batch.id), "timestamp": .int(number), "applied": ["tasks": ["updated": [row]]],
        ]
        _ = try replica.settle(batch, UploadAnswer(answer, to: batch.id), at: .test)
    }

    @Test func aRowWithoutUnsentEditsGoes() throws {
        try take(left: ["a", "unknown"], at: 11)
        #expect(try replica.ids() == ["b"] && outside().isEmpty)
        #expect(try replica.state().filter == Self.mine)
    }

    @Test(arguments: [false, true]) func aRowWithUnsentEditsStays(isDeleted: Bool) throws {
        if isDeleted {
            try replica.delete("a", from: "tasks")
        } else {
            try replica.update("a", in: "tasks", with: ["duration": 9])
        }
        try take(left: ["a"], at: 11)
        try take(at: 12)
        #expect(try outside() == ["a"] && replica.unsentCount() == 1)
    }

    /// A drain that was requested before the answer does not contain the edit.
    @Test func itGoesWithTheDrainThatContainsTheAnswer() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try take(left: ["a"], at: 11)
        let before = try replica.state()
        try push("a", at: 13)
        try take(at: 12, after: before)
        #expect(try replica.row("a")?["_status"] == "synced" && outside() == ["a"])
        #expect(try take(at: 13)?.dropped == 1)
        #expect(try replica.ids() == ["b"] && outside().isEmpty)
    }

    /// The answer may have brought the row back into the part, after the drain that says that it left.
    @Test func anAnsweredRowWaitsForTheDrainThatContainsItsAnswer() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        let before = try replica.state()
        try push("a", at: 13)
        try take(left: ["a"], at: 12, after: before)
        #expect(try replica.ids() == ["a", "b"])
        try take(updated: [row("a", version: 2, "mine")], at: 14)
        #expect(try replica.ids() == ["a", "b"] && outside().isEmpty)
    }

    /// A part above a size has no digest, and an answered batch must not stay for ever.
    @Test func aBatchOfAPartWithoutADigestIsConfirmedByItsNumber() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try push("a", at: 11)
        #expect(try replica.hasAnsweredBatch())
        try take(updated: [row("a", version: 2)], at: 11, digest: .null)
        #expect(try !replica.hasAnsweredBatch())
    }

    @Test func itComesBackWhenTheServerSendsItAgain() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try take(left: ["a"], at: 11)
        try take(updated: [row("a", version: 2, "again")], at: 12)
        #expect(try outside().isEmpty)
        #expect(try replica.row("a")?["name"] == "again" && replica.row("a")?["duration"] == 9)
    }

    @Test func aDeletionOfItSetsItsEditsAside() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try take(left: ["a"], at: 11)
        try take(deleted: ["a"], at: 12)
        #expect(try outside().isEmpty && replica.ids() == ["b"])
        #expect(try replica.setAside().map(\.reason) == ["deleted"])
    }

    /// The digest of the part has only `b`.
    @Test func digestsLeaveItOut() throws {
        var digest = CollectionDigest.empty
        digest.insert("b", ServerVersion(1))
        try replica.update("a", in: "tasks", with: ["duration": 9])
        let receipt = try take(left: ["a"], at: 11, digest: ["tasks": digest.json])
        #expect(receipt?.differing == [])
        #expect(try replica.device().comparison == "same")
    }

    @Test func twiceInOneDrainIsAViolation() throws {
        #expect(throws: SyncError.self) { try take(updated: [row("a", version: 2)], left: ["a"], at: 11) }
        try take(left: ["a"], at: 11, cursor: "c")
        try replica.update("b", in: "tasks", with: ["duration": 9])
        try take(left: ["b"], at: 11, cursor: "d")
        #expect(throws: SyncError.self) { try take(left: ["b"], at: 11) }
    }

    /// What a replacement does not name may be outside of the part.
    @Test func aReplacementKeepsWhatIsUnsent() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try replica.insert(["name": "new"], into: "tasks", id: "c")
        try replica.reset(resync: true)
        try take(updated: [row("b")], at: 20)
        #expect(try replica.ids() == ["a", "b", "c"] && outside() == ["a"])
        #expect(try replica.setAside().isEmpty && replica.unsentCount() == 2)
    }

    @Test func withoutAPartAReplacementSetsItAside() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try replica.reset(resync: true)
        try take(updated: [row("b")], at: 20, filter: .everything)
        #expect(try replica.ids() == ["b"] && outside().isEmpty)
        #expect(try replica.setAside().map(\.reason) == ["not_found"])
    }

    @Test func wipingForgetsThem() throws {
        try replica.update("a", in: "tasks", with: ["duration": 9])
        try take(left: ["a"], at: 11)
        #expect(try replica.wipe(.membershipRevoked, at: .test) == 1)
        #expect(try outside().isEmpty)
    }

    /// Versions of this library that know no parts would take the file for everything.
    @Test func aFileThatHoldsAPartIsOfANewFormat() throws {
        func format() throws -> Int64? { try replica.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") } }
        #expect(try format() == 5)
        try take(at: 12, filter: .everything)
        #expect(try format() == 3)
    }
}
