import SyncProtocol
import Testing

@testable import SyncClientCore

@Suite struct PageReaderTests {
    @Test func readsCountsHeadAndTotal() throws {
        let json = Fixture.page(
            Fixture.tasks(updated: [["id": "a", "server_version": 3]], deleted: ["b"]), cursor: "c", total: 9)
        let page = try PageReader(schema: Fixture.schema).page(json.bytes, head: "44")
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

    /// Members may come in any order, escaped, twice, and with names that the schema does not have.
    @Test func readsRowsHoweverTheyAreWritten() throws {
        let text = #"""
            {"has_more":false,"changes":{"boats":{"x":[{}]},"tasks":{"deleted":[],"other":1,"updated":[
              {"done":true,"server_version":2,"id":"a","boat":{"id":"z"},"name":"one","labels":["x",{"y":1}],
               "name":"two"},
              {"id":"b","server_version":3,"duration":-12,"name":"ü","percent":1.5},
              { "server_version" : 4 , "id" : "c" }
            ],"created":[]}},"next_cursor":null,"timestamp":42,"more":[1]}
            """#
        let page = try PageReader(schema: Fixture.schema).page(Array(text.utf8), head: nil)
        let tasks = try #require(Fixture.schema["tasks"])
        let rows = page.changes[0].updated.map { row in
            Dictionary(uniqueKeysWithValues: zip(tasks.columns.map(\.name), row.values)).compactMapValues { $0 }
        }
        #expect(page.changes[0].updated.map(\.id) == ["a", "b", "c"])
        #expect(page.changes[0].updated.map(\.version.rawValue) == [2, 3, 4])
        #expect(
            rows == [
                ["done": true, "name": "two", "labels": ["x", ["y": 1]]],
                ["duration": -12, "name": "ü", "percent": 1.5], [:],
            ])
    }

    /// A page that was cut off counts as no answer and is requested again, whatever its first half contains.
    @Test func aPageThatIsCutIsNoDocument() {
        let tasks = Fixture.tasks(updated: [["id": "a", "server_version": 1], ["id": "b c", "server_version": 1]])
        let bytes = Fixture.page(tasks, cursor: "c").bytes
        for length in 0..<bytes.count {
            #expect(throws: JSONError.self) {
                try PageReader(schema: Fixture.schema).page(Array(bytes.prefix(length)), head: nil)
            }
        }
        #expect(throws: SyncError.self) { try PageReader(schema: Fixture.schema).page(bytes, head: nil) }
    }

    @Test func refusesChangesThatAreMissing() {
        #expect(throws: SyncError.self) { try Fixture.read(["timestamp": 1, "has_more": false, "next_cursor": nil]) }
    }
}
