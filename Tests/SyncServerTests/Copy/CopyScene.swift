import Foundation
import GRDB
import PostgreSQLTestKit
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// A file with something in every table, and questions of clients that must be answered alike by every copy of it.
struct CopyScene {
    /// A request that can be repeated.
    struct Question {
        let method: String
        let path: String
        let body: Data?
        let token: String?
    }

    private static let batch = "5f0c1d5e-8d0b-4a57-9d0e-6a3f0a4f9c11"

    let scene: Scene
    let path: String
    let registry: Registry
    private(set) var questions: [Question] = []
    private(set) var answers: [Data] = []

    /// Fills the file, asks, and stops the server.
    init(seed: UInt64 = 1) async throws {
        scene = try await Scene(accounts: Scene.unlimited)
        (path, registry) = (scene.folder.path("t.db"), scene.registry)
        let watermarks = try await fill(seed)
        try await collectQuestions(since: watermarks)
        answers = try await ask(scene.server)
        #expect(try await ask(scene.server) == answers, "questions can be repeated")
        for (question, answer) in zip(questions, answers) {
            #expect(
                answer.starts(with: Data("\(question.path) 200 ".utf8)), "\(String(decoding: answer, as: UTF8.self))")
        }
        await scene.server.stop()
        try scene.bench.store.close()
        try CopyScene.run(
            """
            INSERT INTO tidemark_tickets VALUES ('hash', 1, 'token:1', 0, NULL, 99);
            INSERT INTO tidemark_former_owners VALUES ('p2', 'time_entries', 2, 'sp-time_entries', 2);
            INSERT INTO tidemark_listed VALUES ('notes', 'n', 2, 'p2', 1, 2, 2);
            INSERT INTO tidemark_missing_files VALUES ('p2', 'e', 3, 'e.1', 5)
            """, in: path)
    }

    /// A file with its row, and an upload that is not finished.
    private func addFiles(_ member: Client) async throws {
        let (photo, film) = (TestFile("photo"), TestFile(bytes: 10))
        try await member.send(photo)
        try await member.attach(photo, "photo")
        let upload = try #require(try await member.begin(film).upload)
        try await member.append(0..<3, to: upload)
    }

    /// Returns watermarks from half-way: of the project and of all projects.
    private func fill(_ seed: UInt64) async throws -> (project: Int64, all: Int64) {
        let bench = scene.bench
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        for _ in 0..<30 { try await bench.perform(writes.next(&random)) }
        let other = try await bench.another("p2")
        let member = try await scene.client(.member)
        try await addFiles(member)
        let (project, all) = try await (
            member.page(["page_size": "1000"]).json["timestamp"]?.int,
            member.ofAllProjects.page(["page_size": "1000"]).json["timestamp"]?.int
        )
        try await bench.edit { try $0.insert("tasks", "later", ["name": "L"]) }
        for collection in registry.collections where !["projects", "memberships"].contains(collection.name) {
            let specimen = try await other.specimen(
                collection.name, "sp-\(collection.name)", user: bench.caller(.member).userID)
            try await other.plant([specimen], author: bench.caller(.owner).userID)
        }
        try await other.edit { try $0.delete("tasks", "sp-tasks") }
        _ = try await bench.formerMember("gone", as: .member)
        try await fillAccounts()
        return (try #require(project), try #require(all))
    }

    /// A batch, an edit that was refused, a device, a login, and keys that were given and are free again.
    private func fillAccounts() async throws {
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "kept", "name": "Ünïcode ✓ \u{1F600}"]], batch: Self.batch)
        try await member.upload(created: [["id": "bad", "name": 7]], members: ["on_error": "reject_rows"])
        try await member.upload(updated: [["id": "kept", "name": "Changed"]])
        _ = try await member.send("GET", member.syncPath, headers: ["Tidemark-Device-Id": "phone-1"])
        try await scene.server.writeDevices()
        let id = try await scene.addAlice()
        try await scene.bench.members.addMember("alice", to: "p1", as: .viewer)
        _ = try await scene.client(named: "alice", isReadOnly: true)
        try await scene.bench.store.write(.accounts) { transaction in
            try transaction.link(issuer: "https://issuer.example", subject: "s", to: id)
        }
    }

    private mutating func collectQuestions(since watermarks: (project: Int64, all: Int64)) async throws {
        let member = try await scene.client(.member)
        let all = member.ofAllProjects
        let alice = try await scene.stranger.logIn()
        func get(_ path: String, _ token: String?) {
            questions.append(Question(method: "GET", path: path, body: nil, token: token))
        }
        for client in [member, all] {
            for since in [0, client.syncsAll ? watermarks.all : watermarks.project] {
                let query = "?since=\(since)&page_size=7"
                get(client.syncPath + query, client.token)
                let cursor = try await client.page(["since": String(since), "page_size": "7"]).json["next_cursor"]?
                    .string
                if let cursor { get(client.syncPath + query + "&cursor=\(cursor)", client.token) }
            }
        }
        get("/api/v1/auth/me/", alice.access)
        get(member.syncPath + "?since=\(watermarks.project)", alice.access)
        get("/api/v1/projects/p1/rejected/", member.token)
        get("/api/v1/sync/digest/", member.token)
        let batch: JSON = [
            "client_batch_id": .string(Self.batch),
            "changes": [
                "tasks": ["created": [["id": "kept", "name": "Ünïcode ✓ \u{1F600}"]], "updated": [], "deleted": []]
            ],
        ]
        questions.append(Question(method: "POST", path: member.syncPath, body: batch.data, token: member.token))
    }

    /// What the server answers: each status and body.
    func ask(_ server: TestServer) async throws -> [Data] {
        var answers: [Data] = []
        for question in questions {
            let client = Client(server: server, project: "p1", token: question.token)
            let answer = try await client.send(question.method, question.path, question.body)
            answers.append(Data("\(question.path) \(answer.status) ".utf8) + answer.body)
        }
        return answers
    }

    /// Asks a server on the store, and compares its answers.
    func expectSameAnswers(_ store: EngineStore) async throws {
        let server = try await TestServer(
            store, registry, in: scene.folder, clock: scene.clock.wallClock, accounts: Scene.unlimited)
        for (answer, expected) in zip(try await ask(server), answers) {
            #expect(String(decoding: answer, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
        }
        await server.stop()
        try store.close()
    }

    /// Copies on a thread of its own, since that blocks.
    func copy(
        _ source: String, _ target: String, keep: Bool = false,
        _ progress: @escaping @Sendable (CopyProgress) throws -> Void = { _ in }
    ) async throws -> DatabaseCopy.Report {
        try await offThePool { [registry] in
            try DatabaseCopy(from: source, to: target, registry, mender: DraftMender(), keepsSource: keep)
                .run(progress)
        }
    }

    func open(_ path: String) throws -> EngineStore {
        .sqlite(try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()))
    }

    /// Every value of the file by table, except the marks of moves and what belongs to the engine.
    static func content(of path: String) throws -> [String: [[String]]] {
        try DatabaseQueue(path: path).read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'tidemark_account_changes'")
            return try tables.reduce(into: [:]) { content, table in
                let condition = table == "tidemark_settings" ? " WHERE name <> 'moved_to'" : ""
                let columns = try db.columns(in: table).map(\.name).sorted().map { "\"\($0)\"" }
                let list = columns.joined(separator: ", ")
                content[table] = try Row.fetchAll(
                    db, sql: "SELECT \(list) FROM \"\(table)\"\(condition) ORDER BY \(list)"
                )
                .map { row in row.databaseValues.map { "\($0)" } }
            }
        }
    }

    static func setting(_ name: String, in path: String) throws -> String? {
        try DatabaseQueue(path: path).read {
            try String.fetchOne($0, sql: "SELECT value FROM tidemark_settings WHERE name = ?1", arguments: [name])
        }
    }

    /// Runs SQL in a file that nobody has open.
    static func run(_ sql: String, in path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(path: path, configuration: configuration).write { try $0.execute(sql: sql) }
    }
}
