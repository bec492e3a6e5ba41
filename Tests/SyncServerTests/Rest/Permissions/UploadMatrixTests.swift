import Foundation
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The table of permissions holds for uploads too: every caller, every bucket, every collection, in every `on_error`.
@Suite struct UploadMatrixTests {
    private static let collections = PermissionTables.tables.keys.filter { $0 != "memberships" }.sorted()
    private static let verbs: [RowVerb] = [.create, .patch, .delete]

    @Test(arguments: collections) func everybodyMayUploadWhatTheyMaySendOverREST(collection: String) async throws {
        let stage = try await Stage(collection)
        for who in Who.allCases {
            for verb in Self.verbs {
                for mode in ["reject_batch", "reject_rows", "repair"] { try await stage.play(verb, who, mode) }
            }
        }
        #expect(try await stage.scene.bench.brokenInvariants() == [])
    }

    @Test func everyUploadableCollectionIsInTheTable() throws {
        #expect(try Registry.builtIn().collections.filter(\.isUploadable).map(\.name).sorted() == Self.collections)
    }

    /// A server with all callers, for the cells of one collection.
    private struct Stage {
        let scene: Scene
        let cast: [Who: Client]
        let author: Int64
        let collection: String

        init(_ collection: String) async throws {
            scene = try await Scene()
            cast = try await scene.cast()
            author = try await scene.bench.user("author", as: .member)
            self.collection = collection
        }

        func play(_ verb: RowVerb, _ who: Who, _ mode: String) async throws {
            let id = "\(verb.rawValue)-\(who.rawValue)-\(mode)"
            let row = Specimen(collection, id, user: .int(author))
            if verb == .create {
                try await scene.bench.prepare([row], author: author)
            } else {
                try await scene.bench.plant([row], author: author)
            }
            let before = (try await scene.bench.head(), try await scene.bench.record(collection, id))
            let answer = try await upload(verb, row, by: cast[who]!, mode)
            let cell = "\(collection): \(verb) by \(who), \(mode): \(answer.text)"
            // A whole batch is judged as a create is: by the project.
            let isOfBatch = [.anonymous, .outsider, .exMember, .readOnly].contains(who)
            let rest = PermissionTables.verdict(collection, isOfBatch ? .create : verb, who) ?? ""
            let expected = Self.verdict(rest, verb)
            #expect(verdict(answer, verb, id) == expected, "\(cell)")
            let after = (try await scene.bench.head(), try await scene.bench.record(collection, id))
            #expect((after.1?.version != before.1?.version) == (expected == "applied"), "\(cell)")
            // A row that was refused is delivered again, which draws a number. A hidden row draws none.
            let isRefusedRow = !expected.contains(" ") && expected != "applied" && before.1 != nil
            let draws = isRefusedRow && !["id_unavailable", "not_found"].contains(expected) && mode != "reject_batch"
            #expect((after.0 > before.0) == (expected == "applied" || draws), "\(cell)")
            let kept = (answer.at("/rejected_ids/\(collection)") ?? []).strings
            let isKept =
                mode != "reject_batch" && (expected == "id_unavailable" || verb == .create && isRefused(expected))
            #expect(kept == (isKept ? [id] : []), "\(cell)")
        }

        private func isRefused(_ verdict: String) -> Bool { ["forbidden", "field_forbidden"].contains(verdict) }

        private func upload(_ verb: RowVerb, _ row: Specimen, by client: Client, _ mode: String) async throws -> Answer
        {
            let members: [String: JSON] = ["on_error": .string(mode)]
            let patch = row.patch.merging(["id": .string(row.id)]) { $1 }
            return switch verb {
            case .create: try await client.upload(collection, created: [row.body], members: members)
            case .patch: try await client.upload(collection, updated: [.object(patch)], members: members)
            default: try await client.upload(collection, deleted: [.string(row.id)], members: members)
            }
        }

        /// What became of the row: `applied`, or the code with which it was refused or skipped. For a
        /// request that was refused before any row was judged: the status and the code.
        private func verdict(_ answer: Answer, _ verb: RowVerb, _ id: String) -> String {
            if let code = answer.at("/errors/0/code")?.string { return answer.code == code ? code : "? \(code)" }
            guard answer.status == 200 else { return answer.verdict }
            for list in ["rejected", "skipped"] {
                if let code = answer.at("/\(list)/\(collection)/0/code")?.string { return code }
            }
            return "applied"
        }

        /// The same, made from the verdict over REST. A row that REST does not find is an unavailable id for an edit,
        /// and a delete of it has nothing to do.
        private static func verdict(_ rest: String, _ verb: RowVerb) -> String {
            switch rest {
            case "200", "201", "204": "applied"
            case "403 forbidden", "403 field_forbidden": String(rest.dropFirst(4))
            case "404 not_found": verb == .delete ? "not_found" : "id_unavailable"
            default: rest
            }
        }
    }
}
