import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// Every collection, every caller, every verb, over REST and in uploads: who sees a row that is somebody's, behind a
/// gate, or below such a row, and who changes it. `MatrixRules` says what is expected.
@Suite struct ListedMatrixTests {
    @Test(arguments: MatrixCollection.allCases)
    func everybodySeesWhatTheSchemaSays(collection: MatrixCollection) async throws {
        let stage = try await Stage(collection)
        for caller in MatrixCaller.allCases { try await stage.look(caller) }
        try stage.checkDatabase()
    }

    @Test(arguments: MatrixCollection.allCases)
    func everybodyMayWhatTheSchemaSays(collection: MatrixCollection) async throws {
        let stage = try await Stage(collection)
        for cell in Cell.all { try await stage.play(cell) }
        try stage.checkDatabase()
    }

    /// Each has a row of its own.
    private struct Cell: CustomStringConvertible {
        let caller: MatrixCaller
        let verb: MatrixVerb
        let way: MatrixWay

        var id: String { "\(verb)-\(way)-\(caller)" }

        var description: String { "\(verb) by \(caller), \(way)" }

        static let all: [Cell] = MatrixCaller.allCases.flatMap { caller in
            MatrixVerb.allCases.flatMap { verb in
                MatrixWay.allCases.filter { verb != .read || $0 == .rest }.map {
                    Cell(caller: caller, verb: verb, way: $0)
                }
            }
        }

        /// Those of rows that are there before.
        static var rows: [String] { all.filter { $0.verb != .create }.map(\.id) }
    }

    /// A server with all callers, and the rows for the cells of one collection.
    private struct Stage {
        private let scene: Scene
        private let collection: MatrixCollection
        private let clients: [MatrixCaller: Client]
        /// The head before there were rows.
        private let since: Int64

        init(_ collection: MatrixCollection) async throws {
            let scene = try await Scene(schemas: MatrixCollection.allCases.map(\.schema))
            let listed: [JSON] = [
                .int(try await scene.bench.user("listedmember", as: .member)),
                .int(try await scene.bench.user("listedviewer", as: .viewer)),
            ]
            let author = JSON.int(try await scene.bench.user("author", as: .member))
            let clients = try await Stage.clients(scene)
            let top = collection.ancestors.first ?? collection
            since = try await clients[.owner]!.head()
            // The author has everything at first, and gives away what can be given.
            let first: [MatrixCollection: [String: JSON]] = [
                .claims: ["holder": author], .letters: ["readers": .array(listed)], .inspections: ["assignee": author],
            ]
            try await Stage.fill(collection, Cell.rows, by: clients[.author]!, with: first[top] ?? [:])
            let next: [MatrixCollection: [String: JSON]] = [
                .claims: ["holder": listed[1]], .inspections: ["assignee": listed[0], "reviewers": [listed[1]]],
            ]
            if let change = next[top] {
                let ids = top == collection ? Cell.rows : [Stage.parent(top)]
                let rows = ids.map { JSON.object(change.merging(["id": .string($0)]) { $1 }) }
                #expect(try await clients[.admin]!.upload(top.rawValue, updated: rows).status == 200)
            }
            try await scene.bench.members.addMember("author", to: "p1", as: .viewer)
            var foreign = clients[.outsider]!
            foreign.project = "p2"
            try await Stage.fill(collection, ["elsewhere"], by: foreign, with: [:])
            self.scene = scene
            self.collection = collection
            self.clients = clients
        }

        private static func clients(_ scene: Scene) async throws -> [MatrixCaller: Client] {
            _ = try await scene.otherProject()
            let roles: [MatrixCaller: Role] = [.owner: .owner, .admin: .admin, .member: .member, .viewer: .viewer]
            var clients: [MatrixCaller: Client] = [
                .outsider: try await scene.client(named: "owner-p2"), .superuser: try await scene.superuser(),
            ]
            for (caller, role) in roles { clients[caller] = try await scene.client(role) }
            for caller in [MatrixCaller.listedMember, .listedViewer, .author] {
                clients[caller] = try await scene.client(named: caller.rawValue.lowercased())
            }
            return clients
        }

        /// The id of the row that is above all rows of the collection below.
        private static func parent(_ collection: MatrixCollection, in project: String = "p1") -> String {
            "\(project)-\(collection)"
        }

        /// Makes rows and one of each collection above, in one batch. `fields` are those of the topmost.
        private static func fill(
            _ collection: MatrixCollection, _ ids: [String], by client: Client, with fields: [String: JSON]
        ) async throws {
            var changes: [String: JSON] = [:]
            for level in collection.ancestors + [collection] {
                let ids = level == collection ? ids : [parent(level, in: client.project)]
                var row = level.above == nil ? fields : [:]
                row["above"] = level.above.map { .string(parent($0, in: client.project)) }
                let rows = ids.map { JSON.object(row.merging(["id": .string($0)]) { $1 }) }
                changes[level.rawValue] = ["created": .array(rows)]
            }
            let answer = try await client.upload(members: ["changes": .object(changes)])
            #expect(answer.status == 200, "\(answer.text)")
        }

        // MARK: Seeing

        /// What the caller has of the collection, in pulls and in the list.
        func look(_ caller: MatrixCaller) async throws {
            let client = clients[caller]!
            let rules = MatrixRules(collection: collection, caller: caller)
            let place = "\(collection) by \(caller)"
            let list = try await client.list(collection.rawValue, "?limit=500")
            guard caller.role != nil else {
                #expect(list.verdict == "403 not_a_member", "\(place)")
                #expect(try await client.page().verdict == "403 not_a_member", "\(place)")
                return
            }
            let seen = rules.sees ? Set(Cell.rows) : []
            let ids = (list.at("/results")?.array ?? []).compactMap { $0["id"]?.string }
            #expect(Set(ids) == seen, "\(place)")
            for start in [0, since] {
                let drain = try await client.drain(since: start)
                #expect(drain.ids(collection.rawValue) == seen, "\(place) from \(start)")
                let told = drain.deleted.filter { $0.collection == collection.rawValue }
                let expected = rules.sawThem && start > 0 ? Set(Cell.rows) : []
                #expect(Set(told.map(\.id)) == expected, "\(place) from \(start)")
            }
        }

        // MARK: Writing

        func play(_ cell: Cell) async throws {
            let rules = MatrixRules(collection: collection, caller: cell.caller)
            let expected = rules.verdict(cell.verb, cell.way)
            let parent = collection.above.map { Stage.parent($0) }
            let before = try await scene.bench.record(collection.rawValue, cell.id)
            let answer = try await ask(cell, cell.id, under: parent)
            let place = "\(collection): \(cell): \(answer.text)"
            #expect(verdict(answer) == expected, "\(place)")
            let after = try await scene.bench.record(collection.rawValue, cell.id)
            let isWritten = expected == "done" && cell.verb != .read
            #expect((after?.version != before?.version) == isWritten, "\(place)")
            #expect((after?.isDeleted ?? false) == (isWritten && cell.verb == .delete), "\(place)")
            guard let twin = rules.twin(cell.verb, cell.way) else { return }
            let id = twin == .never ? "never-was" : "elsewhere"
            if cell.verb == .create {
                let other = try await ask(cell, cell.id, under: id)
                #expect(Impression(answer, of: parent ?? "") == Impression(other, of: id), "\(place)")
            } else {
                let other = try await ask(cell, id, under: parent)
                #expect(Impression(answer, of: cell.id) == Impression(other, of: id), "\(place)")
            }
        }

        /// Sends the cell's request about the row with that id; a new row refers to `parent`.
        private func ask(_ cell: Cell, _ id: String, under parent: String?) async throws -> Answer {
            let client = clients[cell.caller]!
            let name = collection.rawValue
            var new: [String: JSON] = ["id": .string(id)]
            new["above"] = parent.map(JSON.string)
            let fields = cell.verb == .seal ? collection.sealed : ["text": "changed"]
            guard cell.way != .rest else {
                return switch cell.verb {
                case .read: try await client.read(name, id)
                case .change, .seal: try await client.patch(name, id, .object(fields))
                case .delete: try await client.remove(name, id)
                case .create: try await client.create(name, .object(new))
                }
            }
            let bucket: JSON =
                switch cell.verb {
                case .read: [:]
                case .change, .seal: ["updated": [.object(fields.merging(["id": .string(id)]) { $1 })]]
                case .delete: ["deleted": [.string(id)]]
                case .create: ["created": [.object(new)]]
                }
            let batch = UUID().uuidString.lowercased()
            let members: [String: JSON] = ["changes": [name: bucket], "on_error": .string(cell.way.rawValue)]
            let answer = try await client.upload(batch: batch, members: members)
            // Two batches have two ids.
            let body = Data(answer.text.replacing(batch, with: "").utf8)
            return Answer(status: answer.status, headers: answer.headers, body: body)
        }

        /// `done`, or the code with which the row, the batch or the request was refused or skipped.
        private func verdict(_ answer: Answer) -> String {
            let places = ["errors", "rejected/\(collection)", "skipped/\(collection)"]
            let code = places.lazy.compactMap { answer.at("/\($0)/0/code")?.string }.first
            return code ?? answer.code ?? "done"
        }

        func checkDatabase() throws {
            guard TestEngine.isSQLite else { return }
            let report = try DatabaseCheck(path: scene.folder.path("t.db")).run()
            #expect(report.isSound, "\(report.text)")
        }
    }
}
