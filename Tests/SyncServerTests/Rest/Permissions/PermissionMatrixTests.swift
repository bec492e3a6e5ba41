import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Every caller, every method, every collection; each cell uses its own row.
@Suite struct PermissionMatrixTests {
    @Test(arguments: PermissionTables.tables.keys.sorted())
    func everybodyMayWhatTableAndSchemaSay(collection: String) async throws {
        let stage = try await Stage(collection)
        for who in Who.allCases {
            for verb in RowVerb.allCases { try await stage.play(verb, who) }
        }
        #expect(try await stage.scene.bench.brokenInvariants() == [])
    }

    @Test func theTablesHoldEveryCollectionButProjects() throws {
        let names = try Registry.builtIn().collections.filter { $0.scope != .project }.map(\.name)
        #expect(names.sorted() == PermissionTables.tables.keys.sorted())
    }

    /// A server with all callers, for the cells of one collection.
    private struct Stage {
        let scene: Scene
        let cast: [Who: Client]
        let author: Int64
        let collection: Collection

        init(_ collection: String) async throws {
            scene = try await Scene()
            cast = try await scene.cast()
            author = try await scene.bench.user("author", as: .member)
            self.collection = try #require(scene.registry[collection])
        }

        func play(_ verb: RowVerb, _ who: Who) async throws {
            let bench = scene.bench
            let row = try await bench.specimen(collection.name, "\(verb.rawValue)-\(who.rawValue)", user: author)
            if verb == .create {
                try await bench.prepare([row], author: author)
            } else {
                try await bench.plant([row], author: author)
            }
            let before = (try await bench.head(), try await bench.record(row.collection, row.id))
            let answer = try await cast[who]!.ask(verb, row)
            let cell = "\(collection.name): \(verb) by \(who): \(answer.text)"
            #expect(answer.verdict == PermissionTables.verdict(collection.name, verb, who), "\(cell)")
            #expect(answer.verdict == PermissionRules(collection: collection).verdict(verb, who), "\(cell)")
            let after = (try await bench.head(), try await bench.record(row.collection, row.id))
            if answer.status < 300 {
                expectEffect(of: verb, on: row, after.1, cell)
                let isWrite = verb != .list && verb != .read
                #expect(after.0.rawValue == before.0.rawValue + (isWrite ? 1 : 0), "\(cell)")
            } else {
                #expect(after == before, "\(cell) changed something")
            }
            try await expectNoTrace(answer, verb, who, row, cell)
        }

        private func expectEffect(of verb: RowVerb, on row: Specimen, _ stored: StoredRow?, _ cell: String) {
            switch verb {
            case .list, .read: break
            case .create: #expect(stored?.isDeleted == false, "\(cell)")
            case .delete: #expect(stored?.isDeleted == true, "\(cell)")
            case .patch:
                let json = stored?.json(in: collection)
                for (name, value) in row.patch { #expect(json?[name] == value, "\(cell)") }
            }
        }

        /// A row that the caller may not see gets the answers of a row that never existed, and is in no list.
        private func expectNoTrace(
            _ answer: Answer, _ verb: RowVerb, _ who: Who, _ row: Specimen, _ cell: String
        ) async throws {
            if answer.status == 404 {
                let missing = try await cast[who]!.ask(verb, row, id: "never-was")
                #expect(answer.body == missing.body && answer.status == missing.status, "\(cell)")
            }
            guard verb == .list, answer.status == 200 else { return }
            let ids = answer.at("/results")?.array?.compactMap { $0["id"]?.string } ?? []
            let isHidden = if case .own = collection.visibility { true } else { false }
            #expect(ids.contains(row.id) != isHidden, "\(cell)")
        }
    }
}
