import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Random callers send random bodies to random rows. The server never fails, says why it refuses, and keeps its
/// promises.
@Suite struct RestFuzzTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func theServerStandsRandomRequests(seed: UInt64) async throws {
        var run = try await Run(seed: seed)
        for step in 0..<500 { try await run.play(step) }
        let scene = run.two.scene
        #expect(try await scene.bench.brokenInvariants() == [], "seed \(seed)")
        #expect(try await run.two.other.brokenInvariants() == [], "seed \(seed)")
        let root = Caller(userID: try await scene.bench.accounts.user(named: "root").id, username: "root")
        let drained = try await run.root.drain().rows
        #expect(drained == (try await scene.bench.visibleRows(to: root, as: .owner)), "seed \(seed)")
        // Each field can be wrong, so a new one lets fewer be right.
        #expect(run.applied > 20, "seed \(seed): too few requests were right, \(run.applied)")
    }

    private struct Run {
        let seed: UInt64
        let two: TwoProjects
        let root: Client
        private let clients: [Client]
        private var random: SeededGenerator
        private var created: [String: [String]] = [:]
        private(set) var applied = 0

        init(seed: UInt64) async throws {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            two = try await TwoProjects()
            _ = try await two.scene.bench.user("root", isSuperuser: true)
            root = try await two.scene.client(named: "root")
            var clients = try await two.callers().sorted { $0.key < $1.key }.map(\.value)
            clients += [root, root, try await two.scene.client(.scheduler), try await two.scene.client(.admin)]
            self.clients = clients
        }

        mutating func play(_ step: Int) async throws {
            let collection = random.pick(two.scene.registry.collections)!
            let (method, path, id) = target(collection, step)
            let client = random.pick(clients)!
            let base = two.ours[collection.name]?.fields ?? Specimen("projects", "p").fields
            let bodies = RandomBodies(registry: two.scene.registry, ids: ids(), users: users())
            var body = method == "GET" || method == "DELETE" ? nil : bodies.body(collection, base: base, &random)
            if path.hasSuffix("/sync/") { body = batch(of: bodies.body(collection, base: base, &random), about: id) }
            let before = try await two.scene.bench.head()
            let answer = try await client.send(method, path, body.map { Data($0.utf8) }, headers: headers())
            let place = "seed \(seed), step \(step): \(method) \(path) \((body ?? "").prefix(600)) -> \(answer.text)"
            try await judge(answer, method, client, collection, before, place)
            if answer.status == 201 { created[collection.name, default: []].append(answer.at("/id")?.string ?? id) }
        }

        private mutating func judge(
            _ answer: Answer, _ method: String, _ client: Client, _ collection: Collection, _ before: SyncSeq,
            _ place: String
        ) async throws {
            #expect(answer.status < 500, "\(place)")
            guard answer.status < 300 else {
                #expect(answer.code.flatMap(ErrorCode.init) != nil, "\(place)")
                let codes = (answer.json["errors"]?.array ?? []).map { $0["code"]?.string ?? "" }
                #expect(codes.allSatisfy { ErrorCode(rawValue: $0) != nil }, "\(place)")
                #expect(try await two.scene.bench.head() == before, "a refusal wrote: \(place)")
                return
            }
            guard method == "POST" || method == "PATCH", let id = answer.at("/id")?.string else { return }
            applied += 1
            let read = try await client.read(collection.name, id)
            #expect(read.body == answer.body || collection.scope == .membership, "\(place) then \(read.text)")
        }

        /// The target of a request. Nobody deletes `p1`, so the run can go on.
        private mutating func target(_ collection: Collection, _ step: Int) -> (String, String, String) {
            let name = collection.name
            let id = random.pick(ids()[name] ?? [])!
            let item = "/api/v1/\(name)/\(id)/"
            if collection.isUploadable, random.oneIn(3) { return ("POST", "/api/v1/projects/p1/sync/", id) }
            let all = collection.scope == .project ? "/api/v1/projects/" : "/api/v1/projects/p1/\(name)/"
            switch random.below(12) {
            case 0: return ("GET", all + "?limit=\(random.below(4))&after=\(id)", id)
            case 1: return ("GET", item, id)
            case 2: return (id == "p1" ? "GET" : "DELETE", item, id)
            case 3...6: return ("PATCH", item, id)
            default: return ("POST", all, id)
            }
        }

        /// An upload of this row under the id, in a random bucket.
        private mutating func batch(of row: String, about id: String) -> String {
            var row = (try? JSON(parsing: row)) ?? .null
            if case .object(let fields) = row { row = .object(fields.merging(["id": .string(id)]) { $1 }) }
            let changes: JSON =
                switch random.below(5) {
                case 0: ["deleted": [.string(id)]]
                case 1, 2: ["created": [row]]
                default: ["updated": [row], "deleted": []]
                }
            let batch = UUID(uuidString: "00000000-0000-4000-8000-" + String(random.below(900) + 100_000_000_000))!
            return JSON.object(["client_batch_id": .string(batch.uuidString), "changes": ["tasks": changes]]).text
        }

        private func ids() -> [String: [String]] {
            var ids: [String: [String]] = ["projects": ["p1", "p1", "p2", "never-was"]]
            for collection in two.collections.map(\.name) {
                let known = ["p1", "p2"].flatMap { project in
                    ["live", "dead", "none"].map { TwoProjects.id($0, collection, in: project) }
                }
                let live = [TwoProjects.id("live", collection, in: "p1")]
                ids[collection] = known + live + live + (created[collection] ?? [])
            }
            return ids
        }

        private func users() -> [JSON] {
            Role.allCases.map { .int(two.scene.bench.caller($0).userID) } + [.int(two.former), 99_999, .null]
        }

        private mutating func headers() -> [String: String] {
            switch random.below(12) {
            case 0: ["If-Match": random.pick(["*", "\"1\"", "W/\"1\"", "1", "", "\"x\""])!]
            case 1: ["X-Base-Version": random.pick(["1", "2", "-1", "x", "99999999999999999999"])!]
            case 2: ["Idempotency-Key": random.pick(["a", "b", "a b", "ü", String(repeating: "k", count: 256)])!]
            default: [:]
            }
        }
    }
}
