import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// The database is replaced by an older backup while phones have rows that are newer than the backup.
@Suite(.enabled(if: TestEngine.isSQLite)) struct RestoredServerTests {
    private static let roles: [Role] = [.viewer, .member, .admin]

    /// Three phones: since the backup, the first one has pulled, the second
    /// one has pushed but not pulled, and the third one has done nothing.
    private func scene() async throws -> (Scene, [Phone]) {
        let scene = try await Scene()
        try await scene.fill()
        var phones: [Phone] = []
        for role in Self.roles { phones.append(Phone(try await scene.client(role))) }
        for index in phones.indices { try await phones[index].pull() }
        try scene.backUp()
        try await scene.insertTasks(["lost"])
        try await scene.bench.edit { try $0.delete("tasks", "t2") }
        try await phones[0].pull()
        phones[1].unsent["acknowledged"] = ["id": "acknowledged", "name": "A"]
        #expect(try await phones[1].push().status == 200)
        return (scene, phones)
    }

    @Test(arguments: [SQLiteStore.Opener.server, .restorer], [1, 2])
    func everyPhoneFromBeforeARestoreBeginsAnewAndLosesNoUnsentRow(opener: SQLiteStore.Opener, times: Int) async throws
    {
        var (scene, phones) = try await scene()
        for time in 1...times {
            scene = try await next(after: scene, firstBy: opener)
            try await scene.insertTasks(["found-\(time)"])
            for id in ["kept", "more-\(time)"] { phones[1].unsent[id] = ["id": .string(id), "name": "N"] }
            for (index, role) in Self.roles.enumerated() {
                phones[index].client.move(to: scene)
                if role == .viewer { try await phones[index].pull() } else { try await phones[index].sync() }
            }
            try await phones[0].pull()
            for (phone, role) in zip(phones, Self.roles) {
                #expect(phone.refusals == Array(repeating: "since_ahead", count: time), "\(role)")
                #expect(
                    try await phone.rows == scene.bench.visibleRows(to: scene.bench.caller(role), as: role), "\(role)")
            }
            let tasks = Set(phones[0].rows.keys.filter { $0.collection == "tasks" }.map(\.id))
            #expect(tasks.isSuperset(of: ["t2", "kept", "found-\(time)"]))
            #expect(tasks.isDisjoint(with: ["lost", "acknowledged"]))
        }
    }

    /// The same backup gets other numbers the second time, except once in 4096 times.
    private func next(after scene: Scene, firstBy opener: SQLiteStore.Opener) async throws -> Scene {
        var restored: Scene
        repeat {
            restored = try await scene.restored(firstBy: opener)
        } while try await restored.floor() == scene.floor()
        return restored
    }

    @Test func aPushFromTheLostHistoryIsRefusedAndAppliesNothing() async throws {
        var (scene, phones) = try await scene()
        scene = try await scene.restored()
        phones[0] = Phone(try await scene.client(.member))
        let head = try await phones[0].client.head()
        phones[1].client.move(to: scene)
        phones[1].unsent["new"] = ["id": "new", "name": "N"]
        let answer = try await phones[1].push()
        #expect(answer.status == 409 && answer.code == "since_ahead")
        #expect(try await phones[0].client.head() == head)
    }

    @Test func aCursorFromBeforeARestoreIsRefusedFromZeroTooAndTheDrainBeginsAgain() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let client = try await scene.client(.member)
        try scene.backUp()
        let cursor = try #require(try await client.page(["page_size": "2"]).at("/next_cursor")?.string)
        let moved = client.moved(to: try await scene.restored())
        #expect(try await moved.page(["page_size": "2", "cursor": cursor]).code == "invalid_cursor")
        #expect(try await moved.drain(pageSize: 2).ids("tasks") == ["t1", "t2", "t3"])
    }

    /// The row that the answer names is in the same backup.
    @Test func aBatchFromBeforeTheBackupIsAnsweredAsBefore() async throws {
        let scene = try await Scene()
        let (client, batch) = (try await scene.client(.member), "00000000-0000-4000-8000-000000000009")
        let first = try await client.upload(created: [["id": "x", "name": "X"]], batch: batch)
        try scene.backUp()
        let moved = client.moved(to: try await scene.restored())
        let again = try await moved.upload(created: [["id": "x", "name": "X"]], batch: batch)
        #expect(again.header("Idempotent-Replayed") == "true" && again.text == first.text)
    }
}

extension Client {
    /// The same user and token, talking to another scene's server.
    fileprivate func moved(to scene: Scene) -> Client { Client(server: scene.server, project: project, token: token) }

    fileprivate mutating func move(to scene: Scene) { self = moved(to: scene) }
}
