import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Own-only rows whose owner can change: the former owner has to drop
/// the row, the new owner gets it, and nobody else learns of it.
@Suite struct HandOverTests {
    enum Way: CaseIterable { case rest, upload }

    static let notes = notes(["type": ["integer", "null"], "x-user": ["on-leave": "clear"]])

    private static func notes(_ owner: JSON) -> JSON {
        OwnSchemas.notes(
            ["owner": owner, "text": ["type": "string", "default": ""]], ["x-visibility": ["own": "owner"]])
    }

    private func team(_ schema: JSON = notes) async throws -> Team { try await Team(Scene(schemas: [schema])) }

    // MARK: Once

    @Test(arguments: Way.allCases, [1, 2, 1000])
    func whoHadTheRowDropsItAndWhoGetsItHasIt(way: Way, pageSize: Int) async throws {
        let team = try await team()
        for id in ["n1", "n2", "n3"] { try await team.make(id, of: .member) }
        let since = try await team.head()
        for id in ["n1", "n3"] { try await team.give(id, from: .member, to: .admin, way) }
        let former = try await team.drain(.member, since, pageSize)
        #expect(former.deleted == [RowKey("notes", "n1"), RowKey("notes", "n3")] && former.rows.isEmpty)
        let next = try await team.drain(.admin, since, pageSize)
        #expect(next.ids("notes") == ["n1", "n3"] && next.deleted.isEmpty)
        let other = try await team.drain(.scheduler, since, pageSize)
        #expect(other.rows.isEmpty && other.deleted.isEmpty)
        let again = try await team.drain(.member, former.timestamp, pageSize)
        #expect(again.rows.isEmpty && again.deleted.isEmpty)
        let whole = try await team.drain(.member, 0, pageSize)
        #expect(whole.ids("notes") == ["n2"] && whole.deleted.isEmpty)
        try await team.checkReplicas()
    }

    /// This also holds if the field is never null and a user who leaves keeps their rows.
    @Test func anOwnerThatIsNeverNullChangesToo() async throws {
        let required: [String: JSON] = ["x-visibility": ["own": "owner"], "required": ["owner"]]
        let field: JSON = ["owner": ["type": "integer", "x-user": ["on-leave": "keep"]]]
        let team = try await team(OwnSchemas.notes(field, required))
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, .rest)
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n1")])
        try await team.checkReplicas()
    }

    @Test(arguments: Way.allCases) func aRowOfNobodyAnyMoreIsDropped(way: Way) async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: nil, way)
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n1")])
        let user = team.user(.member)
        try await team.scene.bench.edit { try $0.update("notes", "n1", ["owner": user]) }
        let back = try await team.drain(.member, since)
        #expect(back.deleted.isEmpty && back.ids("notes") == ["n1"])
        try await team.checkReplicas()
    }

    @Test(arguments: ["json", "watermelondb"], ["false", "true"])
    func pagesAndStreamsNameItInBothEncodings(encoding: String, stream: String) async throws {
        let team = try await team()
        for id in ["n1", "n2"] { try await team.make(id, of: .member) }
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, .rest)
        for split in ["false", "true"] {
            let parameters = ["encoding": encoding, "stream": stream, "split_created": split, "since": "\(since)"]
            let page = try await team.client(.member).page(parameters)
            #expect(page.at("/changes/notes") == ["created": [], "updated": [], "deleted": ["n1"]], "\(page.text)")
            #expect(page.at("/digest/notes/count") == 1)
            let next = try await team.client(.admin).page(parameters)
            let notes = next.at("/changes/notes")
            #expect(notes?["deleted"] == [] && notes?["updated"]?.array?.count == 1, "\(next.text)")
        }
    }

    // MARK: More than once

    @Test(arguments: Way.allCases) func aRowThatComesBackIsNotDropped(way: Way) async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, way)
        let given = try await team.head()
        try await team.give("n1", from: .admin, to: .member, way)
        for since in [since, given] {
            let drain = try await team.drain(.member, since, 1)
            #expect(drain.ids("notes") == ["n1"] && drain.deleted.isEmpty)
            #expect(try await team.drain(.admin, since, 1).deleted == [RowKey("notes", "n1")])
        }
        try await team.give("n1", from: .member, to: .admin, way)
        #expect(try await team.drain(.member, given, 1).deleted == [RowKey("notes", "n1")])
        #expect(try await team.drain(.admin, given, 1).deleted.isEmpty)
        try await team.checkReplicas()
    }

    @Test(arguments: Way.allCases) func allOfAChainButTheLastDropIt(way: Way) async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, way)
        let middle = try await team.head()
        try await team.give("n1", from: .admin, to: .scheduler, way)
        #expect(try await team.drain(.member, since, 1).deleted == [RowKey("notes", "n1")])
        #expect(try await team.drain(.member, middle, 1).deleted.isEmpty)
        #expect(try await team.drain(.admin, middle, 1).deleted == [RowKey("notes", "n1")])
        let last = try await team.drain(.scheduler, since, 1)
        #expect(last.ids("notes") == ["n1"] && last.deleted.isEmpty)
        try await team.checkReplicas()
    }

    @Test func aRowThatIsDeletedAfterwardsIsNamedOnce() async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, .rest)
        let given = try await team.head()
        #expect(try await team.client(.admin).remove("notes", "n1").status == 204)
        for role in [Role.member, .admin] {
            #expect(try await team.drain(role, since, 1).deleted == [RowKey("notes", "n1")])
        }
        #expect(try await team.drain(.member, given, 1).deleted.isEmpty)
        #expect(try await team.drain(.scheduler, since, 1).deleted.isEmpty)
        try await team.checkReplicas()
    }

    // MARK: In one write

    /// The new owner could not see the row at any moment.
    @Test func aRowThatIsGivenAwayAndDeletedInOneBatchIsItsFormerOwners() async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        let answer = try await team.client(.member).upload(
            "notes", updated: [["id": "n1", "owner": team.user(.admin)]], deleted: ["n1"])
        #expect(answer.status == 200 && answer.at("/applied/notes/deleted") == ["n1"], "\(answer.text)")
        #expect(try await team.drain(.member, since, 1).deleted == [RowKey("notes", "n1")])
        #expect(try await team.drain(.admin, since, 1).deleted.isEmpty)
        try await team.checkReplicas()
    }

    @Test func aRowIsGivenAwayAndEditedAgainInOneBatch() async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        let answer = try await team.client(.member).upload(
            "notes", created: [["id": "n1", "owner": team.user(.admin)]], updated: [["id": "n1", "text": "mine"]])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n1")])
        #expect(try await team.drain(.admin, since).row("notes", "n1")?["text"] == "mine")
        try await team.checkReplicas()
    }

    /// The device that created it has it.
    @Test(arguments: Way.allCases) func aRowThatIsMadeForAnotherIsDroppedByItsMaker(way: Way) async throws {
        let team = try await team()
        let since = try await team.head()
        try await team.make("n1", of: .admin, by: .member, way)
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n1")])
        let drain = try await team.drain(.admin, since)
        #expect(drain.ids("notes") == ["n1"] && drain.deleted.isEmpty)
        #expect(try await team.drain(.scheduler, since).deleted.isEmpty)
        try await team.checkReplicas()
    }

    /// If the id were refused as unavailable, the client would send the row again under another id, and have it twice.
    @Test(arguments: ["reject_batch", "reject_rows", "repair"])
    func anEditOfARowThatWasGivenAwayIsSkipped(mode: String) async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let since = try await team.head()
        try await team.give("n1", from: .member, to: .admin, .rest)
        let told = try await team.head()
        let edit: JSON = ["id": "n1", "text": "late"]
        let answer = try await team.client(.member).upload(
            "notes", updated: [edit], members: ["on_error": .string(mode)])
        #expect(answer.status == 200 && answer.at("/skipped/notes/0/code") == "deleted", "\(answer.text)")
        // It is delivered again, like everything that is skipped.
        for since in [since, told] {
            #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n1")])
        }
        #expect(try await team.drain(.admin, told).rows.isEmpty)
        #expect(try await team.drain(.admin, since).row("notes", "n1")?["text"] == "")
        let other = try await team.client(.scheduler).upload("notes", updated: [edit])
        #expect(other.status == 409 && other.code == "id_unavailable", "\(other.text)")
        try await team.checkReplicas()
    }

    @Test func theCheckFindsAnOwnerWhoIsAFormerOwner() async throws {
        let team = try await team()
        try await team.make("n1", of: .member)
        let path = team.scene.folder.path("t.db")
        let user = team.user(.member).int!
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: "INSERT INTO tidemark_former_owners VALUES ('p1', 'notes', ?1, 'n1', 1)", arguments: [user])
        }
        let findings = try DatabaseCheck(path: path).run().findings
        #expect(findings.map(\.place) == ["tidemark_former_owners"] && findings.map(\.subject) == ["n1"])
    }

    @Test func whoLeavesAndComesBackDropsWhatWasCleared() async throws {
        let team = try await team()
        for id in ["n1", "n2"] { try await team.make(id, of: .member) }
        let since = try await team.head()
        try await team.give("n2", from: .member, to: .admin, .rest)
        let owner = try await team.scene.client(.owner)
        let membership = try await owner.membership(of: team.user(.member))
        #expect(try await owner.remove("memberships", membership).status == 204)
        #expect(try await team.client(.member).page().code == "membership_revoked")
        #expect(try await owner.create("memberships", ["user": team.user(.member), "role": 100]).status == 201)
        let drain = try await team.drain(.member, since, 1)
        #expect(drain.isDeleted("notes", "n1") && drain.isDeleted("notes", "n2"))
        #expect(drain.ids("notes") == [])
        try await team.checkReplicas()
    }

    /// The server corrects rows at its start in a commit of its own.
    @Test func aChangeOfTheSchemaThatTakesARowTellsItsOwner() async throws {
        let folder = try TemporaryFolder()
        let before = Self.notes(["type": ["integer", "null"], "readOnly": true, "x-value": "caller"])
        let (user, head) = try await leave(Scene(in: folder, registry: OwnSchemas.registry([before])))
        _ = try SQLiteStore(
            path: folder.path("t.db"), registry: OwnSchemas.registry([Self.notes]), opener: .server,
            mender: DraftMender())
        let lost = try await DatabaseQueue(path: folder.path("t.db")).read {
            try String.fetchAll(
                $0, sql: "SELECT user_id || ' ' || row_id || ' ' || sync_seq FROM tidemark_former_owners")
        }
        #expect(lost == ["\(user) n1 \(head + 1)"])
    }

    /// A member makes a row and leaves the project; then the server ends.
    private func leave(_ scene: Scene) async throws -> (user: Int64, head: Int64) {
        #expect(try await scene.client(.member).create("notes", ["id": "n1"]).status == 201)
        let owner = try await scene.client(.owner)
        let membership = try await owner.membership(of: scene.userID(.member))
        #expect(try await owner.remove("memberships", membership).status == 204)
        let head = try await owner.head()
        await scene.server.stop()
        return (scene.userID(.member).int!, head)
    }

    /// What happens between two pages of a drain comes with the next drain.
    @Test func aRowThatComesBackDuringADrainComesWithTheNext() async throws {
        let team = try await team()
        for id in ["n1", "n2", "n3"] { try await team.make(id, of: .member) }
        let since = try await team.head()
        for id in ["n1", "n2"] { try await team.give(id, from: .member, to: .admin, .rest) }
        let drain = try await team.client(.member).drain(since: since, pageSize: 1) { page in
            guard page == 1 else { return }
            try await team.give("n2", from: .admin, to: .member, .rest)
            try await team.give("n3", from: .member, to: .admin, .rest)
        }
        #expect(drain.deleted == [RowKey("notes", "n1")] && drain.rows.isEmpty)
        let next = try await team.drain(.member, drain.timestamp, 1)
        #expect(next.ids("notes") == ["n2"] && next.deleted == [RowKey("notes", "n3")])
        try await team.checkReplicas()
    }

    @Test func aPurgeForgetsFormerOwnersThatNobodyAsksFor() async throws {
        let team = try await team()
        for id in ["n1", "n2", "n3"] { try await team.make(id, of: .member) }
        try await team.give("n1", from: .member, to: .admin, .rest)
        #expect(try await team.client(.admin).remove("notes", "n1").status == 204)
        let since = try await team.head()
        try await team.give("n2", from: .member, to: .admin, .rest)
        let bench = team.scene.bench
        let purge = PurgeService(store: bench.store, registry: bench.registry, clock: WallClock { Team.later })
        #expect(try await purge.purge(olderThan: .zero).tombstones == 1)
        let left = try await DatabaseQueue(path: team.scene.folder.path("t.db")).read {
            try String.fetchAll($0, sql: "SELECT row_id FROM tidemark_former_owners")
        }
        #expect(left == ["n2"])
        #expect(try await team.drain(.member, since).deleted == [RowKey("notes", "n2")])
        try await team.checkReplicas()
    }

    // MARK: At random

    /// Compares what the members got with what they may see, using no numbers except the heads.
    @Test(arguments: 1...12) func replicasHoldWhatTheirMembersMaySee(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let team = try await team()
        var watch = try await HandOverWatch(team)
        for step in 0..<40 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                try await watch.pull(Team.roles.randomElement(using: &random)!, &random)
            } else {
                try await watch.write(step, &random)
            }
        }
        for role in Team.roles { try await watch.pull(role, &random) }
        try await team.checkReplicas()
    }
}
