import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Fields with `x-merge`: two devices change one value, and both changes stay.
@Suite struct FieldMergeTests {
    private let scene: Scene
    private let admin: Client

    init() async throws {
        scene = try await Scene(schemas: [MergingDevice.schema])
        admin = try await scene.client(.admin)
        let row: JSON = ["id": "n", "tags": ["a", "b"], "marks": ["x": 1], "hits": 5]
        #expect(try await admin.create("notes", row).status == 201)
    }

    private func device(_ role: Role = .member, named name: String? = "phone") async throws -> MergingDevice {
        try await MergingDevice(scene.client(role), named: name)
    }

    private func stored(_ field: String) async throws -> JSON? {
        try await admin.read("notes", "n").at("/" + field)
    }

    private static let modes = ["overwrite", "merge"]

    @Test(arguments: modes) func listsKeepWhatEachPutInAndLoseWhatEachTookOut(_ mode: String) async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["tags": ["c", "b"]])
        two.edit(["tags": ["a", "d"]])
        try await one.push(mode)
        let answer = try await two.push(mode)
        #expect(try await stored("tags") == ["c", "d"])
        #expect(answer.at("/conflicts")?.object?.isEmpty ?? true, "\(answer.text)")
        #expect(try await one.client.inbox() + two.client.inbox() == [])
        // What differs from what was sent is delivered again, to the sender too.
        try await two.pull()
        #expect(two.row["tags"] == ["c", "d"])
    }

    @Test(arguments: modes) func objectsMergeMemberByMember(_ mode: String) async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["marks": ["x": 1, "y": 2]])
        two.edit(["marks": ["z": 3]])
        try await one.push(mode)
        try await two.push(mode)
        #expect(try await stored("marks") == ["y": 2, "z": 3])
    }

    @Test func aMemberThatBothChangedIsAsWithoutTheKeyword() async throws {
        for (mode, result) in [("merge", ["x": 2]), ("overwrite", ["x": 3])] as [(String, JSON)] {
            var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
            one.edit(["marks": ["x": 2]])
            two.edit(["marks": ["x": 3]])
            try await one.push(mode)
            let answer = try await two.push(mode)
            #expect(try await stored("marks") == result)
            #expect((answer.at("/conflicts/notes/0/fields") == ["marks"]) == (mode == "merge"), "\(answer.text)")
            #expect(try await admin.patch("notes", "n", ["marks": ["x": 1]]).status == 200)
        }
    }

    @Test(arguments: modes) func countersAddUp(_ mode: String) async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["hits": 7])
        two.edit(["hits": 8])
        try await one.push(mode)
        try await two.push(mode)
        #expect(try await stored("hits") == 10)
        // Two who count to the same value have both counted.
        try await one.pull()
        try await two.pull()
        one.edit(["hits": 11])
        two.edit(["hits": 11])
        try await one.push(mode)
        try await two.push(mode)
        #expect(try await stored("hits") == 12)
    }

    @Test func countersOfDevicesWithoutANameAreReplaced() async throws {
        var (one, two) = try await (device(named: nil), device(.admin, named: nil))
        one.edit(["hits": 7])
        two.edit(["hits": 8])
        try await one.push()
        try await two.push()
        #expect(try await stored("hits") == 8)
    }

    /// 5; another adds 2; sent 8, stored 10; edited to 9 before the next drain, stored 11.
    @Test(arguments: [false, true]) func theSenderKnowsWhatItSent(pullsBetween: Bool) async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["hits": 7])
        try await one.push()
        two.edit(["hits": 8])
        try await two.push(losesAnswer: pullsBetween)
        #expect(try await stored("hits") == 10)
        if pullsBetween { try await two.pull() }
        two.edit(["hits": 9])
        try await two.push()
        #expect(try await stored("hits") == 11)
    }

    /// The version in the answer is a base for clients from before there were merges.
    @Test func anAnswersVersionMeansTheValueSent() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["hits": 7, "tags": ["a", "b", "c"]])
        try await one.push()
        two.edit(["hits": 8, "tags": ["a", "b", "d"]])
        let version = try await two.push().at("/applied/notes/updated/0/server_version")
        #expect(version == 3)
        let row: JSON = ["id": "n", "hits": 9, "tags": ["b", "d"], "base_version": 3]
        let members: [String: JSON] = ["last_pulled_at": .int(two.since), "device_id": "2"]
        try await two.client.upload("notes", updated: [row], members: members)
        #expect(try await stored("hits") == 11)
        #expect(try await stored("tags") == ["b", "c", "d"])
        // A drained version means the value stored.
        try await two.pull()
        two.edit(["hits": 12])
        try await two.push()
        #expect(try await stored("hits") == 12)
    }

    @Test func eachFieldHasItsOwnBase() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        two.edit(["title": "mine"])
        one.edit(["hits": 7])
        try await one.push()
        try await two.pull()
        two.edit(["hits": 8])
        #expect(two.bases == ["title": 1, "hits": 2])
        try await two.push()
        #expect(try await stored("hits") == 8)
        #expect(try await stored("title") == "mine")
    }

    @Test func anEditThatComesTwiceCountsOnce() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["hits": 7, "tags": ["a", "b", "c"]])
        try await one.push()
        two.edit(["hits": 8, "tags": ["a", "b", "c", "d"]])
        try await two.push(losesAnswer: true)
        // Somebody takes out meanwhile what the two put in.
        try await one.pull()
        one.edit(["tags": ["a", "b"]])
        try await one.push()
        try await two.push(losesAnswer: true, isNew: true)
        try await two.push()
        #expect(try await stored("hits") == 10)
        #expect(try await stored("tags") == ["a", "b"])
    }

    /// The merged value is the one that is stored already, so the row has no new version to keep what was sent at.
    @Test func whatMadeNoDifferenceCountsOnceToo() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["tags": ["a", "b", "c", "d"]])
        try await one.push()
        two.edit(["tags": ["a", "b", "c"]])
        try await two.push(losesAnswer: true)
        #expect(try await stored("tags") == ["a", "b", "c", "d"])
        try await one.pull()
        one.edit(["tags": ["a", "b", "d"]])
        try await one.push()
        try await two.push(isNew: true)
        #expect(try await stored("tags") == ["a", "b", "d"])
        try await two.pull()
        #expect(two.row["tags"] == ["a", "b", "d"])
    }

    @Test func aResultThatBreaksTheSchemaIsNoMerge() async throws {
        for (mode, hits, tags) in [
            ("merge", 60, ["a", "b", "c", "d"]), ("overwrite", 70, ["a", "b", "e", "f", "g"]),
        ] as [(String, JSON, JSON)] {
            var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
            one.edit(["hits": 60, "tags": ["a", "b", "c", "d"]])
            two.edit(["hits": 70, "tags": ["a", "b", "e", "f", "g"]])
            try await one.push()
            let answer = try await two.push(mode)
            #expect(try await stored("hits") == hits, "\(answer.text)")
            #expect(try await stored("tags") == tags, "\(answer.text)")
            #expect(try await admin.patch("notes", "n", ["hits": 5, "tags": ["a", "b"]]).status == 200)
        }
    }

    @Test func restAndTheOtherModesAreAsBefore() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["tags": ["a", "b", "c"]])
        two.edit(["tags": ["a", "b", "d"]])
        try await one.push()
        let members: [String: JSON] = ["on_conflict": "reject", "last_pulled_at": .int(two.since), "device_id": "2"]
        let rejected = try await two.client.upload("notes", updated: [two.element], members: members)
        #expect(rejected.status == 409, "\(rejected.text)")
        try await two.push("newest")
        #expect(try await stored("tags") == ["a", "b", "d"])
        #expect(try await admin.patch("notes", "n", ["tags": ["e"]]).status == 200)
        #expect(try await stored("tags") == ["e"])
    }

    @Test func ofARowInTwoBucketsTheLastCounts() async throws {
        var (one, two) = try await (device(named: "1"), device(.admin, named: "2"))
        one.edit(["hits": 7])
        try await one.push()
        two.edit(["hits": 8])
        let again = two.element.setting(["hits": 5])
        let members: [String: JSON] = ["last_pulled_at": .int(two.since), "device_id": "2"]
        let answer = try await two.client.upload("notes", created: [two.element], updated: [again], members: members)
        #expect(answer.status == 200, "\(answer.text)")
        // 5 is what the device knew, so it has counted nothing.
        #expect(try await stored("hits") == 7)
    }

    @Test func basesAreChecked() async throws {
        for bases in [["hits": 0], ["hits": "1"], ["x": JSON.null], "1"] as [JSON] {
            let row: JSON = ["id": "n", "hits": 6, "base_version": 1, "base_versions": bases]
            let answer = try await admin.upload("notes", updated: [row])
            #expect(answer.at("/errors/0/code") == "wrong_type", "\(answer.text)")
        }
        let alone: JSON = ["id": "n", "hits": 6, "base_versions": ["hits": 1]]
        #expect(try await admin.upload("notes", updated: [alone]).at("/errors/0/code") == "wrong_type")
        let strange: JSON = ["id": "n", "hits": 6, "base_version": 1, "base_versions": ["nothing": 7]]
        #expect(try await admin.upload("notes", updated: [strange]).status == 200)
    }

    @Test func aDeadReferenceLeavesTheResult() async throws {
        let built = try await Scene()
        try await built.insertTasks(["t1", "t2", "t3"])
        let (admin, member) = try await (built.client(.admin), built.client(.member))
        let risk: JSON = ["id": "r", "title": "R", "probability": 1, "impact": 1, "task_ids": ["t1"]]
        #expect(try await admin.create("risks", risk).status == 201)
        let since = try await member.head()
        #expect(try await admin.patch("risks", "r", ["task_ids": ["t1", "t2"]]).status == 200)
        #expect(try await admin.upload(deleted: ["t3"]).status == 200)
        let row: JSON = ["id": "r", "task_ids": ["t1", "t3"], "_changed": "task_ids"]
        let answer = try await member.upload("risks", updated: [row], members: ["last_pulled_at": .int(since)])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/repaired/risks/0/field") == "task_ids", "\(answer.text)")
        #expect(try await admin.read("risks", "r").at("/task_ids") == ["t1", "t2"])
    }
}
