import Foundation
import GRDB
import GRDBSQLite
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Queries of rows, and how much of the file they read.
@Suite struct RowQueryTests {
    private static let schema: JSON = [
        [
            "title": "projects", "x-uploadable-user-wide": true, "properties": ["name": ["type": "string"]],
        ],
        [
            "title": "tasks", "x-uploadable": true,
            "properties": [
                "name": ["type": "string"], "points": ["type": ["integer", "null"], "default": nil],
                "done": ["type": "boolean", "default": false],
            ],
        ],
    ]

    private let scratch: Scratch
    private let replica: Replica

    init() throws {
        scratch = try Scratch()
        replica = try Replica(
            path: scratch.path, scope: .allProjects, schema: Self.schema.text,
            indexes: ["tasks": [RowIndex("project_id", "points"), RowIndex("name"), RowIndex("later")]])
    }

    private func fill(_ count: Int) throws {
        try replica.write { db in
            try db.execute(
                sql: """
                    INSERT INTO tasks (id, project_id, name, points, done)
                    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
                    SELECT printf('t-%06d', i), 'p' || (i % 2), printf('n%06d', i), i, i % 3 = 0 FROM n
                    """)
        }
    }

    private func ids(
        in project: String? = nil, where conditions: [String: RowCondition] = [:], order: [String] = [],
        limit: Int? = nil
    ) throws -> [String] {
        try replica.rows(RowQuery("tasks", in: project, where: conditions, order: order, limit: limit))
            .compactMap { $0["id"]?.string }
    }

    /// Steps that SQLite takes for a query.
    private func steps(
        in project: String? = nil, where conditions: [String: RowCondition], order: [String] = [], limit: Int? = nil
    ) throws -> Int {
        let schema = try #require(try replica.schema()?["tasks"])
        let query = try QueryStatement(
            RowQuery("tasks", in: project, where: conditions, order: order, limit: limit), of: schema)
        return try replica.read { db in
            let statement = try db.makeStatement(sql: query.sql)
            _ = try Row.fetchAll(statement, arguments: query.arguments)
            return Int(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0))
        }
    }

    @Test func conditionsFindWhatTheySay() throws {
        try fill(10)
        #expect(try ids(in: "p1") == ["t-000001", "t-000003", "t-000005", "t-000007", "t-000009"])
        #expect(try ids(where: ["points": .equals(3)]) == ["t-000003"])
        #expect(try ids(where: ["points": .range(from: 2, below: 4)]) == ["t-000002", "t-000003"])
        #expect(try ids(where: ["points": .range(from: nil, below: 1)]) == ["t-000000"])
        #expect(try ids(where: ["points": .range(from: 9, below: nil)]) == ["t-000009"])
        #expect(
            try ids(where: ["name": .prefix("n00000"), "done": .equals(true)], order: ["-points"], limit: 2) == [
                "t-000009", "t-000006",
            ])
        #expect(try ids(limit: 0).isEmpty)
    }

    @Test func nullComesFirstAndEqualRowsAreOrderedByID() throws {
        for (id, points) in [("b", 1), ("a", 1), ("c", nil)] as [(String, Int64?)] {
            try replica.write { db in
                try db.execute(
                    sql: "INSERT INTO tasks (id, project_id, name, points) VALUES (?, 'p', 'n', ?)",
                    arguments: [id, points])
            }
        }
        #expect(try ids(order: ["points"]) == ["c", "a", "b"])
        #expect(try ids(order: ["-points"]) == ["a", "b", "c"])
        #expect(try ids(where: ["points": .equals(nil)]) == ["c"])
        #expect(try ids(where: ["points": .range(from: nil, below: nil)]) == ["a", "b"])
    }

    /// The bound after a prefix is the next text by its bytes, wherever that is.
    @Test(arguments: ["n", "a\u{D7FF}", "\u{10FFFF}", "e\u{301}", "", "\u{10FFFF}\u{10FFFF}"])
    func aPrefixIsOfBytes(prefix: String) throws {
        let scalars: [Unicode.Scalar] = ["\0", "a", "n", "\u{301}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}"]
        var texts = scalars.flatMap { one in scalars.map { "\(one)\($0)" } } + ["e\u{301}x", "a\u{D7FF}z", "\u{E9}"]
        texts += texts.map { prefix + $0 }
        try replica.write { db in
            for (number, text) in texts.enumerated() {
                try db.execute(
                    sql: "INSERT INTO tasks (id, project_id, name) VALUES (?, 'p', ?)", arguments: ["\(number)", text])
            }
        }
        let expected = texts.indices.filter { Array(texts[$0].utf8).starts(with: Array(prefix.utf8)) }.map(String.init)
        #expect(try ids(where: ["name": .prefix(prefix)]) == expected.sorted())
    }

    @Test func ownEditsAreInTheirPlaces() throws {
        try fill(6)
        try replica.write {
            try $0.execute(sql: "INSERT INTO projects (id, project_id, name) VALUES ('p0', 'p0', 'P')")
        }
        try replica.update("t-000004", in: "tasks", with: ["points": -1])
        try replica.delete("t-000000", from: "tasks")
        try replica.insert(["name": "new", "points": 3, "project_id": "p0"], into: "tasks", id: "x")
        #expect(try ids(in: "p0", where: [:], order: ["points"]) == ["t-000004", "t-000002", "x"])
    }

    /// Three rows by an index cost the same beside 1,000 and 100,000, and so do the first 50 of an order.
    @Test func aQueryByAnIndexReadsWhatItReturns() throws {
        let costs = {
            [
                try steps(where: ["name": .prefix("n00010")], order: ["name"]),
                try steps(in: "p1", where: ["points": .range(from: 100, below: 106)]),
                try steps(in: "p0", where: [:], order: ["points"], limit: 50),
            ]
        }
        try fill(1_000)
        let few = try costs()
        try replica.write { try $0.execute(sql: "DELETE FROM tasks") }
        try fill(100_000)
        #expect(try costs() == few)
        #expect(few.allSatisfy { $0 < 2_000 })
    }

    @Test func anIndexOfAFieldThatComesLaterIsMadeThen() throws {
        #expect(throws: ReplicaError.unknownField("later", collection: "tasks")) {
            try ids(where: ["later": .equals("x")])
        }
        var documents = Self.schema.array ?? []
        documents[1] = documents[1].setting(
            "properties",
            to: .object((documents[1]["properties"]?.object ?? [:]).merging(["later": ["type": "string"]]) { $1 }))
        _ = try replica.adopt(
            ServerSchema(["schema_version": "v2", "collections": .array(documents)], allProjects: true))
        try fill(1_000)
        #expect(try steps(where: ["later": .equals("x")]) < 100)
        #expect(throws: ReplicaError.unknownCollection("moons")) { try replica.rows(RowQuery("moons")) }
    }

    /// Edits of this process and of another one, and nothing else, are told. While a first sync is under way, only who
    /// asks for unsettled rows sees any.
    @Test func whatAQueryFindsIsObserved() async throws {
        try fill(4)
        let query = RowQuery("tasks", where: ["points": .range(from: 2, below: nil)], order: ["points"])
        var states = replica.observe(query, look: .milliseconds(1)).makeAsyncIterator()
        #expect(try await states.next()?.map { $0["id"] } == ["t-000002", "t-000003"])
        try replica.update("t-000000", in: "tasks", with: ["name": "not found"])
        try replica.update("t-000001", in: "tasks", with: ["points": 9])
        #expect(try await states.next()?.map { $0["id"] } == ["t-000002", "t-000003", "t-000001"])
        let other = try Replica(existing: replica.path)
        try other.delete("t-000003", from: "tasks")
        #expect(try await states.next()?.map { $0["id"] } == ["t-000002", "t-000001"])
        try replica.write {
            try $0.execute(
                sql: "UPDATE _replica SET cursor = 'c', drain_timestamp = 5, drain_rows = 0, step = step + 1")
        }
        var unsettled = replica.observe(query, unsettled: true, look: .milliseconds(1)).makeAsyncIterator()
        #expect(try await unsettled.next()?.count == 2)
        try replica.update("t-000002", in: "tasks", with: ["points": 0])
        #expect(try await unsettled.next()?.count == 1)
        try replica.write {
            try $0.execute(
                sql: "UPDATE _replica SET cursor = NULL, drain_timestamp = NULL, drain_rows = NULL, step = step + 1")
        }
        #expect(try await states.next()?.map { $0["id"] } == ["t-000001"])
    }
}
