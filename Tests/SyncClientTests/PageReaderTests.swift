import SyncProtocol
import Testing

@testable import SyncClient

@Suite struct PageReaderTests {
    @Test func readsCountsHeadAndTotal() throws {
        let json = Fixture.page(
            Fixture.tasks(updated: [["id": "a", "server_version": 3]], deleted: ["b"]), cursor: "c", total: 9)
        let page = try PageReader(schema: Fixture.schema).page(json, head: "44")
        #expect(page.rows == 1 && page.deleted == 1 && page.total == 9 && page.head == SyncSeq(44))
        #expect(page.nextCursor == "c" && page.timestamp == SyncSeq(42))
        #expect(page.changes.map(\.collection) == ["tasks"])
    }

    @Test(
        arguments: [
            ("no buckets", ["tasks": nil]), ("missing bucket", ["tasks": ["created": [], "updated": []]]),
            ("row is null", Fixture.tasks(updated: [nil])), ("no id", Fixture.tasks(updated: [["server_version": 1]])),
            ("number as id", Fixture.tasks(updated: [["id": 1, "server_version": 1]])),
            ("bad id", Fixture.tasks(updated: [["id": "a b", "server_version": 1]])),
            ("no version", Fixture.tasks(updated: [["id": "a"]])),
            ("wrong type", Fixture.tasks(updated: [["id": "a", "server_version": 1, "duration": "3"]])),
            ("deleted object", Fixture.tasks(deleted: [["id": "a"]])),
            ("id in two buckets", Fixture.tasks(updated: [["id": "a", "server_version": 1]], deleted: ["a"])),
        ] as [(String, JSON)])
    func refusesShapes(name: String, changes: JSON) {
        #expect(throws: SyncError.self, "\(name)") { try Fixture.read(Fixture.page(changes)) }
    }

    @Test(arguments: [nil, 0, -1, "42", 1.5, 9_007_199_254_740_992] as [JSON])
    func refusesTimestamps(timestamp: JSON) {
        #expect(throws: SyncError.self) { try Fixture.read(Fixture.page(timestamp: timestamp)) }
    }

    @Test func refusesChangesThatAreMissing() {
        #expect(throws: SyncError.self) { try Fixture.read(["timestamp": 1, "has_more": false, "next_cursor": nil]) }
    }
}
