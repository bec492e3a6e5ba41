import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A delete that a `restrict` reference forbids is refused like any other row.
@Suite struct RestrictedDeleteTests {
    /// Boxes are in shelves, shelves are in rooms. A label keeps its box, and only its creator sees it.
    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene(schemas: [
            OwnSchemas.notes(["name": ["type": "string", "default": ""]], named: "rooms"),
            OwnSchemas.notes(["room": parent("rooms", "cascade")], ["required": ["room"]], named: "shelves"),
            OwnSchemas.notes(["shelf": parent("shelves", "cascade")], ["required": ["shelf"]], named: "boxes"),
            OwnSchemas.notes(
                [
                    "box": parent("boxes", "restrict"),
                    "maker": ["type": "integer", "readOnly": true, "x-value": "caller"],
                ],
                ["required": ["box"], "x-visibility": ["own": "maker"]], named: "labels"),
        ])
        let member = try await scene.client(.member)
        for room in ["r1", "r2", "r3"] {
            let (shelf, box): (JSON, JSON) = (.string("s-" + room), .string("b-" + room))
            #expect(try await member.create("rooms", ["id": .string(room)]).status == 201)
            #expect(try await member.create("shelves", ["id": shelf, "room": .string(room)]).status == 201)
            #expect(try await member.create("boxes", ["id": box, "shelf": shelf]).status == 201)
        }
        for box in ["b-r1", "b-r2"] {
            #expect(try await member.create("labels", ["id": .string("l-" + box), "box": .string(box)]).status == 201)
        }
        return (scene, member)
    }

    private func parent(_ collection: String, _ onDelete: String) -> JSON {
        ["type": "string", "x-ref": ["collection": .string(collection), "on-delete": .string(onDelete)]]
    }

    @Test(arguments: ["reject_rows", "repair"])
    func aLenientBatchLeavesOutTheDeletesThatARestrictForbids(mode: String) async throws {
        let (scene, member) = try await scene()
        let since = try await member.head()
        let answer = try await member.upload(
            "rooms", created: [["id": "r4"]], deleted: ["r3", "r1", "r2"], members: ["on_error": .string(mode)])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/applied/rooms/deleted") == ["r3"])
        #expect(answer.at("/applied/rooms/created/0/id") == "r4")
        let rejected = (answer.at("/rejected/rooms")?.array ?? []).map { "\($0["id"]!.text) \($0["code"]!.text)" }
        #expect(rejected == [#""r1" "in_use""#, #""r2" "in_use""#])
        #expect(answer.at("/rejected/rooms/0/detail") == "boxes b-r1 is in use by labels l-b-r1.")
        #expect(answer.at("/rejected_ids") == [:])

        // The rows that stay are delivered again, with everything that belongs to them as it was.
        let drain = try await member.drain(since: since)
        #expect(drain.ids("rooms") == ["r1", "r2", "r4"])
        #expect(drain.deleted == [RowKey("rooms", "r3"), RowKey("shelves", "s-r3"), RowKey("boxes", "b-r3")])
        #expect(try await member.drain().ids("boxes") == ["b-r1", "b-r2"])
        // The bench knows only the audiences of the built-in collections.
        #expect(try await scene.bench.brokenInvariants().allSatisfy { $0.hasPrefix("digest of labels") })
    }

    @Test func aStrictBatchNamesEachDeleteThatARestrictForbids() async throws {
        let (_, member) = try await scene()
        let answer = try await member.upload("rooms", deleted: ["r3", "r1", "r2"])
        #expect(answer.status == 409 && answer.code == "in_use")
        #expect(
            answer.errors == ["/changes/rooms/deleted/1 in_use", "/changes/rooms/deleted/2 in_use"])
        #expect(answer.at("/errors/0/id") == "r1")
        #expect(try await member.remove("rooms", "r1").code == "in_use")
        #expect(try await member.drain().ids("rooms") == ["r1", "r2", "r3"])
    }

    @Test func bothDeletesThatLeadToARestrictedRowAreNamed() async throws {
        let (_, member) = try await scene()
        let batch: JSON = [
            "rooms": ["deleted": ["r1"]], "shelves": ["deleted": ["s-r1", "s-r3"]], "boxes": ["deleted": ["b-r2"]],
        ]
        let answer = try await member.upload(members: ["changes": batch])
        #expect(
            answer.errors == [
                "/changes/boxes/deleted/0 in_use", "/changes/rooms/deleted/0 in_use",
                "/changes/shelves/deleted/0 in_use",
            ])
    }

    @Test func aRestrictedRowGoesTogetherWithItsUser() async throws {
        let (_, member) = try await scene()
        let batch: JSON = ["rooms": ["deleted": ["r1"]], "labels": ["deleted": ["l-b-r1"]]]
        let answer = try await member.upload(members: ["changes": batch])
        #expect(answer.status == 200 && answer.at("/applied/rooms/deleted") == ["r1"])
    }

    @Test func aRowThatTheCallerMayNotSeeIsNotNamed() async throws {
        let (scene, _) = try await scene()
        let answer = try await scene.client(.admin).remove("rooms", "r1")
        #expect(answer.code == "in_use" && answer.at("/detail") == "boxes b-r1 is in use by a row of labels.")
    }
}
