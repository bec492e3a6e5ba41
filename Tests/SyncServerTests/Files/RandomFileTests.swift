import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Random histories of rows that name files, of bytes that come, and of sweeps, beside a model of who may read what.
@Suite struct RandomFileTests {
    private static let roles: [Role] = [.member, .scheduler, .admin]
    private static let files = (0..<3).map { TestFile("file \($0)") }

    private struct Row {
        let collection: String
        let author: Role
        var file: TestFile?
        var setBy: Role
        var isStored = false
    }

    /// What must be true, by the page.
    private struct Model {
        var rows: [String: Row] = [:]
        var sent: [TestFile: Set<Role>] = [:]

        func reads(_ file: TestFile, _ role: Role) -> Bool {
            rows.values.contains {
                $0.file == file && $0.isStored && ($0.collection != "letters" || $0.author == role)
            }
        }

        private func mayName(_ file: TestFile, _ role: Role) -> Bool {
            guard let senders = sent[file] else { return false }
            return senders.contains(role) || reads(file, role)
        }

        mutating func set(_ file: TestFile?, of id: String, by role: Role) {
            guard rows[id]?.file != file else { return }
            let isStored = file.map { mayName($0, role) } ?? false
            rows[id]?.file = file
            rows[id]?.setBy = role
            rows[id]?.isStored = isStored
        }

        mutating func send(_ file: TestFile, by role: Role) {
            if !reads(file, role) { sent[file, default: []].insert(role) }
            while let ready = rows.first(where: {
                $0.value.file == file && !$0.value.isStored && mayName(file, $0.value.setBy)
            }) { rows[ready.key]?.isStored = true }
        }

        /// A month passes.
        mutating func sweep() -> Int {
            let gone = sent.keys.filter { file in !rows.values.contains { $0.file == file } }
            for file in gone { sent[file] = nil }
            return gone.count
        }
    }

    @Test(arguments: 1...12) func onlyThoseReadWhoMay(seed: UInt64) async throws {
        let scene = try await Scene(schemas: FileSchemas.all)
        var clients: [Role: Client] = [:]
        for role in Self.roles { clients[role] = try await scene.client(role) }
        var random = SeededGenerator(seed: seed)
        var model = Model()
        for step in 0..<40 {
            let role = Self.roles.randomElement(using: &random)!
            let file = Self.files.randomElement(using: &random)!
            let client = clients[role]!
            let mine = model.rows.filter { $0.value.collection != "letters" || $0.value.author == role }.keys.sorted()
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                let status = try await client.send(file).status
                #expect(status == (model.reads(file, role) ? 200 : 201), "seed \(seed), step \(step)")
                model.send(file, by: role)
            case 3..<6:
                let name = ["attachments", "letters", "notices"].randomElement(using: &random)!
                let row: JSON = ["id": .string("r\(step)"), "file": file.json]
                let answer = try await client.upload(name, created: [row])
                #expect(answer.status == 200, "seed \(seed), step \(step): \(answer.text)")
                model.rows["r\(step)"] = Row(collection: name, author: role, file: nil, setBy: role)
                model.set(file, of: "r\(step)", by: role)
            case 6:
                guard let id = mine.filter({ model.rows[$0]!.collection == "notices" }).randomElement(using: &random)
                else { continue }
                let other = Bool.random(using: &random) ? file : nil
                try await client.patch("notices", id, ["file": other?.json ?? .null])
                model.set(other, of: id, by: role)
            case 7:
                guard
                    let id = mine.filter({ model.rows[$0]!.collection == "attachments" }).randomElement(using: &random)
                else { continue }
                try await client.patch("attachments", id, ["name": .string("touched \(step)")])
            case 8:
                guard let id = mine.randomElement(using: &random) else { continue }
                #expect(try await client.remove(model.rows[id]!.collection, id).status == 204)
                model.rows[id] = nil
            default:
                scene.clock.advance(by: .seconds(31 * 86_400))
                #expect(try await scene.server.sweepFiles() == model.sweep(), "seed \(seed), step \(step)")
            }
            try await check(model, clients, "seed \(seed), step \(step)")
        }
        #expect(try scene.filesOnDisk().count == model.sent.count, "seed \(seed)")
        let use = try await scene.bench.store.read { try $0.fileUse(of: scene.bench.project) }
        #expect(use.files == model.sent.count, "seed \(seed)")
    }

    private func check(_ model: Model, _ clients: [Role: Client], _ place: Comment) async throws {
        for (role, client) in clients {
            for file in Self.files {
                let answer = try await client.get(file)
                let isRead = model.reads(file, role)
                #expect(answer.status == (isRead ? 200 : 404), place)
                if isRead { #expect(answer.body == file.bytes, place) }
            }
        }
        let drained = try await clients[.admin]!.drain(collections: "attachments")
        for (id, row) in model.rows where row.collection == "attachments" {
            #expect(drained.row("attachments", id)?["state"] == (row.isStored ? "stored" : "pending"), place)
        }
    }
}
