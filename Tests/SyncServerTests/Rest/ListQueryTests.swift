import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncTestKit
import SyncValues
import Testing

/// `GET /projects/{project}/{collection}/?status=REVIEW&sort=-planned_start`: filters and order of lists.
@Suite struct ListQueryTests {
    /// The rows of all pages.
    private func rows(_ client: Client, _ collection: String, _ query: [String: String], limit: Int = 500) async throws
        -> [JSON]
    {
        var (rows, parameters) = ([JSON](), query.merging(["limit": String(limit)]) { $1 })
        for _ in 0..<1000 {
            let page = try await client.list(collection, "?" + parameters.encoded)
            #expect(page.status == 200, "\(page.text)")
            let found = page.at("/results")?.array ?? []
            #expect(found.count <= limit)
            rows += found
            guard let next = page.at("/next")?.string else { return rows }
            #expect(found.count == limit, "a page before the last one is not full")
            parameters["after"] = next
        }
        Issue.record("the list does not end")
        return rows
    }

    private func ids(_ client: Client, _ query: [String: String], limit: Int = 500) async throws -> [String] {
        try await rows(client, "tasks", query, limit: limit).compactMap { $0["id"]?.string }
    }

    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.insertTasks(["a"], ["status": "REVIEW", "duration": 2, "planned_start": "2026-03-01"])
        try await scene.insertTasks(["b"], ["status": "REVIEW", "duration": 9])
        try await scene.insertTasks(["c"], ["status": "COMPLETE", "duration": 2, "planned_start": "2026-01-01"])
        try await scene.insertTasks(["d"], ["status": "COMPLETE", "duration": 10, "planned_start": "2026-02-01"])
        return (scene, try await scene.client(.member))
    }

    private func fill(_ scene: Scene, _ count: Int, _ random: inout SeededGenerator) async throws {
        for number in 0..<count {
            let fields = PlainList.fields(&random)
            try await scene.bench.edit { try $0.insert("tasks", "t\(100 + number)", fields) }
        }
    }

    @Test func filtersSelectRowsAndAreAllMet() async throws {
        let (_, member) = try await scene()
        #expect(try await ids(member, ["status": "REVIEW"]) == ["a", "b"])
        #expect(try await ids(member, ["status": "REVIEW", "duration": "2"]) == ["a"])
        #expect(try await ids(member, ["status": "REVIEW", "duration": "10"]) == [])
        #expect(try await ids(member, ["name": "Task c"]) == ["c"])
        #expect(try await ids(member, ["is_milestone": "false"], limit: 3) == ["a", "b", "c", "d"])
    }

    @Test func anEmptyValueIsNullWhereTheFieldTakesItAndElseTheEmptyText() async throws {
        let (_, member) = try await scene()
        #expect(try await ids(member, ["planned_start": ""]) == ["b"])
        #expect(try await ids(member, ["notes": ""]) == ["a", "b", "c", "d"])
        #expect(try await member.list("tasks", "?duration=").code == "invalid_parameter")
    }

    @Test func rowsAreSortedByTheKeysInTheirOrderThenAsTheyWereMade() async throws {
        let (_, member) = try await scene()
        for limit in [1, 2, 500] {
            #expect(try await ids(member, ["sort": "planned_start"], limit: limit) == ["b", "c", "d", "a"])
            #expect(try await ids(member, ["sort": "-planned_start"], limit: limit) == ["a", "d", "c", "b"])
            #expect(try await ids(member, ["sort": "duration"], limit: limit) == ["a", "c", "b", "d"])
            #expect(try await ids(member, ["sort": "-duration"], limit: limit) == ["d", "b", "a", "c"])
            #expect(try await ids(member, ["sort": "status,-duration"], limit: limit) == ["d", "c", "b", "a"])
            #expect(
                try await ids(member, ["sort": "-planned_start", "status": "COMPLETE"], limit: limit) == ["d", "c"])
        }
    }

    @Test func textsAreComparedByTheirBytes() async throws {
        let scene = try await Scene()
        let names = ["\u{E9}", "e\u{301}", "E", "e", "z", "\u{1F600}", "\u{FFFD}"]
        for (number, name) in names.enumerated() {
            try await scene.bench.edit { try $0.insert("tasks", "t\(number)", ["name": .string(name)]) }
        }
        let member = try await scene.client(.member)
        #expect(try await ids(member, ["name": "\u{E9}"]) == ["t0"])
        #expect(try await ids(member, ["name": "e\u{301}"]) == ["t1"])
        #expect(try await ids(member, ["sort": "name"], limit: 2) == ["t2", "t3", "t1", "t4", "t0", "t6", "t5"])
    }

    /// Only the first 128 characters of a text count, so a place in a list fits into a URL.
    @Test func longTextsAreSortedByTheirBeginning() async throws {
        let scene = try await Scene()
        let beginning = String(repeating: "\u{1F600}", count: 128)
        for (id, end) in [("a", "z"), ("b", "y"), ("c", "")] {
            try await scene.bench.edit {
                try $0.insert("tasks", id, ["name": "N", "notes": .string(beginning + end)])
            }
        }
        let member = try await scene.client(.member)
        #expect(try await ids(member, ["sort": "notes,name,wbs_path"], limit: 1) == ["a", "b", "c"])
    }

    @Test(
        arguments: [
            ("stat=OPEN", "/stat invalid_parameter"), ("Status=REVIEW", "/Status invalid_parameter"),
            ("status=OPEN", "/status not_in_enum"), ("duration=two", "/duration wrong_type"),
            ("duration=1.5", "/duration wrong_type"), ("duration=-1", "/duration out_of_range"),
            ("planned_start=2026-02-30", "/planned_start bad_format"), ("is_milestone=1", "/is_milestone wrong_type"),
            ("assignee=null", "/assignee wrong_type"), ("sort=", "/sort invalid_parameter"),
            ("sort=stat", "/sort invalid_parameter"), ("sort=--name", "/sort invalid_parameter"),
            ("sort=name,-name", "/sort invalid_parameter"), ("sort=name,", "/sort invalid_parameter"),
            ("sort=name,status,duration,notes", "/sort invalid_parameter"), ("id=a", "/id invalid_parameter"),
            ("project=p1", "/project invalid_parameter"), ("server_version=1", "/server_version invalid_parameter"),
            ("is_deleted=1", "/is_deleted invalid_parameter"), ("sync_seq=1", "/sync_seq invalid_parameter"),
        ]) func whatAListDoesNotTakeIsNamed(query: String, error: String) async throws
    {
        let scene = try await Scene()
        let answer = try await scene.client(.member).list("tasks", "?limit=5&\(query)")
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_parameter")
        #expect(answer.errors == [error])
    }

    @Test func listsAndObjectsAreNeitherFilteredNorSorted() async throws {
        let scene = try await Scene()
        for collection in scene.registry.collections where collection.scope != .project {
            for field in collection.fields where field.value.isStructured {
                let owner = try await scene.client(.owner)
                #expect(try await owner.list(collection.name, "?\(field.name)=").code == "invalid_parameter")
                #expect(try await owner.list(collection.name, "?sort=\(field.name)").code == "invalid_parameter")
            }
        }
    }

    @Test(arguments: [
        "/projects/", "/users/", "/auth/tokens/", "/projects/p1/rejected/", "/projects/p1/memberships/",
    ]) func everyListRefusesAParameterThatItDoesNotHave(path: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.owner).send("GET", path + "?limit=5&colour=red&shape=round")
        #expect(answer.status == 400)
        #expect(answer.errors == ["/colour invalid_parameter", "/shape invalid_parameter"])
        #expect(answer.at("/detail")?.string?.contains("limit") == true)
    }

    /// WatermelonDB's client sends parameters that the server does not use.
    @Test func aPullIgnoresAParameterThatItDoesNotHave() async throws {
        let scene = try await Scene()
        #expect(try await scene.client(.owner).page(["schema_version": "7", "colour": "red"]).status == 200)
    }

    @Test func aPlaceIsGoodForItsOwnListAlone() async throws {
        let (_, member) = try await scene()
        let sorted = try await member.list("tasks", "?sort=duration&limit=1").at("/next")?.string ?? ""
        let plain = try await member.list("tasks", "?limit=1").at("/next")?.string ?? ""
        #expect(try await member.list("tasks", "?sort=duration&limit=3&after=\(sorted)").status == 200)
        for query in [
            "sort=-duration&after=\(sorted)", "after=\(sorted)", "sort=duration&status=REVIEW&after=\(sorted)",
            "sort=duration&after=\(plain)", "status=REVIEW&after=\(plain)", "sort=duration&after=\(sorted.dropLast())",
            "sort=duration&after=x",
        ] { #expect(try await member.list("tasks", "?\(query)").code == "invalid_parameter", "\(query)") }
        #expect(try await member.list("tasks", "?sort=duration&after=").status == 200)
    }

    @Test func projectsAreFilteredAndSortedToo() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        for (id, name) in [("x1", "Beta"), ("x2", "Alpha"), ("x3", "Beta")] {
            try await owner.create("projects", ["id": .string(id), "name": .string(name), "start_date": "2026-01-05"])
        }
        func ids(_ query: String) async throws -> [JSON?] {
            try await owner.send("GET", "/projects/?\(query)").at("/results")?.array?.map { $0["id"] } ?? []
        }
        #expect(try await ids("name=Beta") == ["x1", "x3"])
        let first = try await owner.send("GET", "/projects/?sort=-name&name=Beta&limit=1")
        #expect(first.at("/results/0/id") == "x1")
        #expect(try await ids("sort=-name&name=Beta&after=\(first.at("/next")?.string ?? "")") == ["x3"])
        let outsider = try await scene.otherProject()
        let theirs = try await scene.client(named: outsider.caller(.owner).username.rawValue)
        #expect(try await theirs.send("GET", "/projects/?name=Beta").at("/results") == [])
    }

    /// Neither a filter nor the order may reveal a row that the caller may not see.
    @Test func aFilterFindsNothingThatAListHides() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        #expect(try await rows(member, "time_entries", ["minutes": "5"]).isEmpty)
        #expect(try await rows(member, "time_entries", ["sort": "minutes"]).compactMap { $0["id"] } == ["te1"])
        let viewer = try await scene.client(.viewer)
        for collection in ["sprint_retros", "retro_action_items"] {
            let hidden = try await rows(member, collection, [:])
            #expect(!hidden.isEmpty)
            for (name, value) in hidden[0].object ?? [:] where value.string != nil && name != "id" && name != "project"
            {
                #expect(try await rows(viewer, collection, [name: value.string ?? ""]).isEmpty)
                #expect(try await rows(viewer, collection, ["sort": name]).isEmpty)
            }
        }
    }

    /// Random queries, compared with the same rows filtered and sorted by plain code, over pages of random size.
    @Test(arguments: [UInt64(1), 2, 3, 4]) func randomQuestionsAreAnsweredAsByHand(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scene = try await Scene()
        var model: [JSON] = []
        try await fill(scene, 40, &random)
        let member = try await scene.client(.member)
        model = try await rows(member, "tasks", [:])
        for _ in 0..<40 {
            let query = PlainList.query(&random)
            let expected = PlainList.answer(query, model).compactMap { $0["id"]?.string }
            let found = try await ids(member, query, limit: 1 + random.below(9))
            #expect(found == expected, "seed \(seed): \(query)")
        }
    }

    /// Rows that nobody changes come once and in order, whatever happens to other rows between the pages.
    @Test(arguments: [UInt64(1), 2, 3]) func rowsThatChangeBetweenPagesDisturbNoOther(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scene = try await Scene()
        try await fill(scene, 30, &random)
        let member = try await scene.client(.member)
        for round in 0..<6 {
            let query = PlainList.query(&random)
            let before = PlainList.answer(query, try await rows(member, "tasks", [:])).compactMap { $0["id"]?.string }
            var (found, parameters, touched) = ([String](), query.merging(["limit": "3"]) { $1 }, Set<String>())
            for page in 0..<200 {
                let answer = try await member.list("tasks", "?" + parameters.encoded)
                found += (answer.at("/results")?.array ?? []).compactMap { $0["id"]?.string }
                guard let next = answer.at("/next")?.string else { break }
                parameters["after"] = next
                let id = "t\(100 + random.below(30))"
                touched.insert(id)
                var patch = PlainList.fields(&random)
                patch["notes"] = .string("\(round) \(page)")
                try await member.patch("tasks", id, .object(patch))
            }
            let still = before.filter { !touched.contains($0) }
            #expect(found.filter { !touched.contains($0) } == still, "seed \(seed): \(query)")
        }
    }
}

/// A list as the documentation describes it, in plain code.
private enum PlainList {
    private static let statuses = ["REVIEW", "COMPLETE", "BACKLOG"]
    private static let days = ["2026-01-05", "2026-02-05", "2026-03-05"]
    private static let names = ["A", "a", "\u{E9}", "e\u{301}", "Z"]
    private static let percents = [0, 12.5, 50, 100]

    /// A few values for each field, which makes many rows equal.
    static func fields(_ random: inout SeededGenerator) -> [String: JSON] {
        [
            "status": .string(random.pick(statuses)!), "name": .string(random.pick(names)!),
            "planned_start": random.oneIn(3) ? .null : .string(random.pick(days)!),
            "duration": .int(Int64(random.below(3))), "percent_complete": JSON(random.pick(percents)!),
            "is_critical": .null, "is_milestone": .bool(random.oneIn(2)),
        ]
    }

    /// Parameters without `limit` and `after`.
    static func query(_ random: inout SeededGenerator) -> [String: String] {
        var query: [String: String] = [:]
        let row = fields(&random)
        for name in row.keys.sorted() where random.oneIn(5) {
            query[name] = row[name]!.isNull ? "" : row[name]!.string ?? row[name]!.text
        }
        let keys = row.keys.sorted().shuffled(using: &random).prefix(random.below(4))
        if !keys.isEmpty { query["sort"] = keys.map { random.oneIn(2) ? "-" + $0 : $0 }.joined(separator: ",") }
        return query
    }

    /// The answer for `rows`, which are in the order of their creation.
    static func answer(_ query: [String: String], _ rows: [JSON]) -> [JSON] {
        let met = rows.filter { row in
            query.allSatisfy { name, text in name == "sort" || isEqual(row[name] ?? .null, text) }
        }
        let keys = query["sort"]?.split(separator: ",").map(String.init) ?? []
        return met.enumerated().sorted { one, other in
            for key in keys {
                let (name, isDescending) = key.hasPrefix("-") ? (String(key.dropFirst()), true) : (key, false)
                let (left, right) = (one.element[name] ?? .null, other.element[name] ?? .null)
                if precedes(left, right) { return !isDescending }
                if precedes(right, left) { return isDescending }
            }
            return one.offset < other.offset
        }.map(\.element)
    }

    private static func isEqual(_ value: JSON, _ text: String) -> Bool {
        switch value {
        case .null: text.isEmpty
        case .string(let own): Array(own.utf8) == Array(text.utf8)
        default: value.text == text
        }
    }

    private static func precedes(_ one: JSON, _ other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.bool(let left), .bool(let right)): !left && right
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: one.number! < other.number!
        }
    }
}

extension [String: String] {
    /// As a query.
    fileprivate var encoded: String {
        sorted { $0.key < $1.key }.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }.joined(separator: "&")
    }
}
