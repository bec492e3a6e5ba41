import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Rows that inherit the gate of a row several references away.
@Suite struct GateChainTests {
    private static let names = ["books", "pages", "notes", "marks"]
    private static let parents = ["pages": "books", "notes": "pages", "marks": "notes"]

    /// Whether a book is secret decides about its pages, their notes and the marks in them.
    private static let schemas: [JSON] = names.map { name in
        let text: JSON = ["type": "string", "default": ""]
        guard let parent = parents[name] else {
            let gate: JSON = ["gate": ["field": "text", "value": "secret", "role": "ADMIN"]]
            return OwnSchemas.notes(["text": text], ["x-visibility": gate], named: name)
        }
        let above: JSON = [
            "type": ["string", "null"], "default": nil,
            "x-ref": ["collection": .string(parent), "on-delete": "cascade"],
        ]
        let members: [String: JSON] = ["x-visibility": ["inherit": "above"]]
        return OwnSchemas.notes(["text": text, "above": above], members, named: name)
    }

    private let scene: Scene
    private let admin: Client
    private let member: Client

    init() async throws {
        scene = try await Scene(schemas: Self.schemas)
        admin = try await scene.client(.admin)
        member = try await scene.client(.member)
    }

    private func make(_ name: String, _ id: String, under parent: String?) async throws {
        let above: [String: JSON] = name == "books" ? [:] : ["above": parent.map(JSON.string) ?? nil]
        let answer = try await admin.create(name, .object(above.merging(["id": .string(id)]) { $1 }))
        #expect(answer.status == 201, "\(answer.text)")
    }

    private func ids(_ drain: Drain) -> Set<String> { Set(drain.rows.keys.filter(Self.isOwn).map(\.id)) }

    private static func isOwn(_ key: RowKey) -> Bool { names.contains(key.collection) }

    @Test(arguments: [1, 1000]) func aGateAboveHidesAndShowsAllLevels(pageSize: Int) async throws {
        for (name, id, parent) in [
            ("books", "b", nil), ("pages", "p", "b"), ("notes", "n", "p"), ("marks", "m", "n"), ("marks", "free", nil),
        ] { try await make(name, id, under: parent) }
        let since = try await member.head()
        try await admin.patch("books", "b", ["text": "secret"])
        let hidden = try await member.drain(since: since, pageSize: pageSize)
        #expect(Set(hidden.deleted.map(\.id)) == ["b", "p", "n", "m"])
        #expect(try await member.read("marks", "m").status == 404)
        #expect(try await ids(member.drain(since: 0)) == ["free"])
        try await admin.patch("books", "b", ["text": "open"])
        let shown = try await member.drain(since: hidden.timestamp, pageSize: pageSize)
        #expect(ids(shown) == ["b", "p", "n", "m"])
        #expect(shown.deleted.isEmpty)
    }

    @Test func aRowThatGetsAnotherParentTakesAlongWhatIsBelow() async throws {
        for (name, id, parent) in [
            ("books", "open", nil), ("books", "closed", nil), ("pages", "p", "open"), ("notes", "n", "p"),
            ("marks", "m", "n"),
        ] { try await make(name, id, under: parent) }
        try await admin.patch("books", "closed", ["text": "secret"])
        let since = try await member.head()
        try await admin.patch("pages", "p", ["above": "closed"])
        #expect(try await Set(member.drain(since: since).deleted.map(\.id)) == ["p", "n", "m"])
        #expect(try await ids(member.drain(since: 0)) == ["open"])
    }

    @Test(arguments: 1...10) func replicasStayExact(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var replicas = [Role.member, .scheduler, .admin].map { DrainClient(scene.bench.caller($0)) }
        // What the member could see at each head.
        var sights: [(head: Int64, ids: Set<String>)] = [(try await member.head(), [])]
        var since = sights[0].head
        for step in 0..<60 {
            try await write(step, &random)
            let fresh = try await member.drain(since: 0)
            sights.append((fresh.timestamp, ids(fresh)))
            if Bool.random(using: &random) {
                let place = replicas.indices.randomElement(using: &random)!
                let pageSize = [1, 2, 1000].randomElement(using: &random)!
                try await replicas[place].drain(from: scene.bench, pageSize: pageSize)
                #expect(replicas[place].isConfirmed, "seed \(seed), step \(step)")
            } else if Bool.random(using: &random) {
                let drain = try await member.drain(since: since, pageSize: 2)
                let told = Set(drain.deleted.filter(Self.isOwn).map(\.id))
                let last = sights.last { $0.head <= since }?.ids ?? []
                let seen = sights.filter { $0.head > since }.reduce(into: last) { $0.formUnion($1.ids) }
                #expect(told.isSubset(of: seen), "seed \(seed), step \(step): \(told.subtracting(seen))")
                since = drain.timestamp
            }
        }
        for place in replicas.indices {
            try await replicas[place].drain(from: scene.bench, pageSize: 1000)
            #expect(replicas[place].isConfirmed, "seed \(seed)")
        }
    }

    /// Makes, moves or deletes a row, or opens or closes a book.
    private func write(_ step: Int, _ random: inout SeededGenerator) async throws {
        let all = try await admin.drain(since: 0).rows.keys.filter(Self.isOwn).sorted { $0.id < $1.id }
        func any(_ name: String) -> RowKey? { all.filter { $0.collection == name }.randomElement(using: &random) }
        let name = Self.names.randomElement(using: &random)!
        let parent = Self.parents[name].flatMap { any($0)?.id }
        switch (Int.random(in: 0..<10, using: &random), any(name)) {
        case (0, let key?): _ = try await admin.remove(name, key.id)
        case (1...3, let key?) where name != "books":
            _ = try await admin.patch(name, key.id, ["above": parent.map(JSON.string) ?? nil])
        case (4...6, _):
            guard let book = any("books") else { return }
            let text: JSON = Bool.random(using: &random) ? "secret" : "open"
            _ = try await admin.patch("books", book.id, ["text": text])
        default: try await make(name, "\(name)\(step)", under: parent)
        }
    }
}
