import SyncProtocol
import Testing

@testable import SyncClientCore

/// The server's schema: what the client accepts, and how tables follow it.
@Suite struct SchemaTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func schema(_ properties: JSON, title: String = "things") throws -> ServerSchema {
        try ServerSchema(["schema_version": "v", "collections": [["title": .string(title), "properties": properties]]])
    }

    @Test func readsTypes() throws {
        let types: [(JSON, ColumnSchema.Kind)] = [
            (["type": "string"], .text), (["type": ["string", "null"]], .text), (["type": "integer"], .integer),
            (["type": ["number", "null"]], .real), (["type": "boolean"], .boolean), (["type": "array"], .document),
            (["type": ["object", "null"]], .document), (["type": ["string", "integer"]], .any), ([:], .any),
        ]
        for (document, kind) in types { #expect(try schema(["x": document])["things"]?.columns.first?.kind == kind) }
    }

    @Test func commonFieldsAreNotColumnsTwice() throws {
        let read = try schema(["id": ["type": "string"], "server_version": ["type": "integer"], "b": [:], "a": [:]])
        #expect(read.collections[0].columns.map(\.name) == ["a", "b"])
    }

    @Test(arguments: ["_replica", "sqlite_master", "a b", "1a", "", "x\"; DROP TABLE y", "täsks"])
    func refusesTableNames(name: String) {
        #expect(throws: SyncError.self) { try schema([:], title: name) }
    }

    @Test(arguments: ["_status", "_Changed", "_drain", "a-b", "", "ID", "é"])
    func refusesColumnNames(name: String) {
        #expect(throws: SyncError.self) { try schema(.object([name: ["type": "string"]])) }
    }

    @Test func refusesNamesThatDifferInCaseOnly() {
        #expect(throws: SyncError.self) { try schema(["name": [:], "Name": [:]]) }
    }

    @Test func keywordsAsNamesAreQuoted() throws {
        let odd = try schema(
            ["select": ["type": "string", "default": "it's"], "_x": ["type": "boolean"]], title: "order")
        let replica = try scratch.replica()
        _ = try replica.adopt(odd)
        let changes = Fixture.changes(updated: [["id": "a", "server_version": 1, "_x": true]])
        try replica.take(Fixture.page(["order": changes]), schema: odd)
        #expect(try replica.row("a", in: "order")?["select"] == "it's")
        #expect(try replica.row("a", in: "order")?["_x"] == true)
    }

    /// Swift treats the quote and the combining mark as one character.
    @Test func aDefaultMayHaveAMarkOnItsQuote() throws {
        let odd = try schema(["name": ["type": "string", "default": "it'\u{301}s"]])
        let replica = try scratch.replica()
        _ = try replica.adopt(odd)
        let changes = Fixture.changes(updated: [["id": "a", "server_version": 1]])
        try replica.take(Fixture.page(["things": changes]), schema: odd)
        #expect(try replica.row("a", in: "things")?["name"] == "it'\u{301}s")
    }

    @Test func growthVoidsTheWatermarkAndKeepsRows() throws {
        let replica = try scratch.replicaWithTables()
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1, "name": "A"]])))
        let wider = try ServerSchema(
            Fixture.schemaJSON(version: "v2", taskFields: ["points": ["type": "integer", "default": 2]]))
        let state = try replica.adopt(wider)
        #expect(state.since == .zero && state.schemaVersion == "v2")
        #expect(try replica.row("a")?["points"] == 2)
        #expect(try replica.adopt(wider) == state)
        #expect(try replica.schema() == wider)
    }

    @Test func changeWithoutGrowthDropsOnlyTheCursor() throws {
        let replica = try scratch.replicaWithTables()
        try replica.take(Fixture.page())
        try replica.take(Fixture.page(cursor: "c"))
        let state = try replica.adopt(try ServerSchema(Fixture.schemaJSON(version: "v2")))
        #expect(state.since == SyncSeq(42) && state.drain == nil)
    }

    @Test func changedTypeIsRefused() throws {
        let replica = try scratch.replicaWithTables()
        let changed = try ServerSchema(Fixture.schemaJSON(version: "v2", taskFields: ["name": ["type": "integer"]]))
        #expect(throws: ReplicaError.columnChanged(collection: "tasks", column: "name")) { try replica.adopt(changed) }
        #expect(try replica.state().schemaVersion == "v1")
    }
}
