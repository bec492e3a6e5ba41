import ArgumentParser
import Foundation
import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing
@testable import tidemark

/// `tidemark export --format mspdi`.
@Suite struct PlanExportTests {
    /// Whatever the fields of a project, everything that a plan loses is listed.
    @Test(arguments: 1...40) func whatAPlanLosesOfAProjectIsListed(seed: Int) async throws {
        let bench = try await PlanBench()
        let original = try await bench.make(RandomProject(seed: UInt64(seed), people: bench.people))
        let (again, written) = try await bench.exchange(original)
        let lost = ProjectDifference(try await bench.rows(original), try await bench.rows(again)).lost
        for (place, rows) in lost.sorted(by: { $0.key < $1.key }) {
            let listed = written.notExported.filter { $0.hasPrefix(place + " of ") }
            let number = listed.compactMap { Int($0.dropFirst(place.count + 4).prefix { $0.isNumber }) }.reduce(0, +)
            #expect(number >= rows, "seed \(seed): \(place) differs in \(rows) rows, listed \(listed)")
        }
        #expect(!lost.isEmpty || seed > 5, "seed \(seed): a project of everything loses something")
    }

    /// Nothing is listed without need: a project that a plan can hold loses nothing.
    @Test(arguments: 1...20) func aProjectOfWhatAPlanHoldsComesBack(seed: Int) async throws {
        let bench = try await PlanBench()
        let original = try await bench.make(RandomProject(seed: UInt64(seed), people: bench.people, isPlain: true))
        let (again, written) = try await bench.exchange(original)
        #expect(ProjectDifference(try await bench.rows(original), try await bench.rows(again)).lost == [:])
        #expect(written.notExported == [], "seed \(seed)")
    }

    /// Whatever ranks, codes and short ids the tasks have, and however often the plan goes out and in.
    @Test(arguments: 1...20) func theTasksKeepTheirOrder(seed: Int) async throws {
        let bench = try await PlanBench()
        let original = try await bench.make(RandomProject(seed: UInt64(seed), people: bench.people, isPlain: true))
        let (again, written) = try await bench.exchange(original)
        let (third, _) = try await bench.exchange(again)
        let order = try await bench.order(original)
        #expect(order == written.text.matches(of: /<Name>(T\d+)\s/).map { String($0.1) }, "seed \(seed)")
        #expect(try await bench.order(again) == order, "seed \(seed)")
        #expect(try await bench.order(third) == order, "seed \(seed)")
    }

    @Test func whatAPlanHoldsIsWritten() async throws {
        let bench = try await PlanBench()
        var text = ""
        for seed in 1...6 {
            let project = try await bench.make(RandomProject(seed: UInt64(seed), people: bench.people, isPlain: true))
            text += try await PlanExport(wiring: bench.wiring).run(project).text
        }
        #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\""))
        for element in ["<PredecessorLink>", "<Resource>", "<Exception>", "<Manual>", "<Notes>", "<Hyperlink>"] {
            #expect(text.contains(element), "\(element)")
        }
        #expect(text.contains("T0 &amp; &lt;b&gt;</Name>"))
    }

    @Test func anUnknownProjectIsNotFound() async throws {
        let bench = try await PlanBench()
        await #expect(throws: Problem.self) { _ = try await PlanExport(wiring: bench.wiring).run("nobody") }
    }

    @Test func theFormatIsJSONUnlessItIsNamed() throws {
        #expect(try ExportCommand.parse(["p"]).format == .json)
        #expect(try ExportCommand.parse(["p", "--format", "mspdi"]).format == .mspdi)
        #expect(throws: (any Error).self) { try ExportCommand.parse(["p", "--format", "mpp"]) }
    }
}

/// A database with some people.
final class PlanBench {
    let wiring: Wiring
    let people: [User]
    private let folder = FileManager.default.temporaryDirectory.appending(path: "exchange-\(UUID().uuidString)")

    init() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        wiring = try await Wiring(database: folder.appending(path: "t.db").path(), as: .server(.ask))
        var people: [User] = []
        for (name, shown) in [("ada", "Ada"), ("bob@example.org", "Bob"), ("cy", "ada"), ("dee", "Dee & Co")] {
            people.append(try await wiring.services.accounts.addUser(name, displayName: shown))
        }
        self.people = people
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func make(_ project: RandomProject) async throws -> String {
        // An import makes members only of assignees.
        let assignees = Set((project.rows["tasks"] ?? []).compactMap { $0["assignee"]?.int })
        let members = Dictionary(
            uniqueKeysWithValues: people.dropFirst().filter { !project.isPlain || assignees.contains($0.id) }
                .map { ($0.id, Role.member) })
        return try await wiring.services.projects.create(
            ProjectContent(rows: project.rows, owner: people[0].id, members: members)
        ).id
    }

    /// The project that an import makes from the export.
    func exchange(_ project: String) async throws -> (project: String, written: WrittenPlan) {
        let written = try await PlanExport(wiring: wiring).run(project)
        let file = folder.appending(path: "plan.xml")
        try Data(written.text.utf8).write(to: file)
        let outcome = try await PlanImport(wiring: wiring, owner: people[0], addsMembers: true).run(file.path())
        return (outcome.project, written)
    }

    /// The first words of the tasks' names, from top to bottom.
    func order(_ project: String) async throws -> [String] {
        let below = Dictionary(grouping: try await rows(project)["tasks"] ?? []) { $0["parent"]?.string ?? "" }
        func names(below parent: String) -> [String] {
            OrderKey.sorted(below[parent] ?? []).flatMap { row in
                [String((row["name"]?.string ?? "").prefix { $0 != " " })] + names(below: row["id"]?.string ?? "")
            }
        }
        return names(below: "")
    }

    func rows(_ project: String) async throws -> [String: [[String: JSON]]] {
        try await wiring.services.exports
            .rows(of: project, in: PlanWriter.collections.union(["risks"])).rows
    }
}

/// What one project has and another does not, by collection and field, as
/// numbers of rows. Rows are matched by the unique names of their tasks.
struct ProjectDifference {
    private(set) var lost: [String: Int] = [:]

    init(_ before: [String: [[String: JSON]]], _ after: [String: [[String: JSON]]]) {
        for collection in before.keys {
            let (old, new) = (Self.byName(before, collection), Self.byName(after, collection))
            for (name, row) in old {
                guard let other = new[name] else {
                    lost[collection, default: 0] += 1
                    continue
                }
                for (field, value) in row where !value.isNull || !(other[field]?.isNull ?? true) {
                    if value != other[field] { lost["\(collection).\(field)", default: 0] += 1 }
                }
            }
        }
    }

    private static func byName(
        _ rows: [String: [[String: JSON]]], _ collection: String
    ) -> [String: [String: JSON]] {
        var names: [String: String] = [:]
        for row in rows["tasks"] ?? [] { names[row["id"]?.string ?? ""] = Self.taskName(row) }
        for row in rows["calendars"] ?? [] { names[row["id"]?.string ?? ""] = "calendar" }
        // Ranks are new: of them only the order of the tasks comes back.
        let hidden: Set = ["id", "rank", "short_id", "created_at", "updated_at", "created_by"]
        return (rows[collection] ?? []).reduce(into: [:]) { found, row in
            var row = row.filter { !hidden.contains($0.key) }
            for field in ["parent", "predecessor", "successor", "task", "calendar"] {
                if let id = row[field]?.string { row[field] = .string(names[id] ?? id) }
            }
            let parts =
                switch collection {
                case "tasks": [Self.taskName(row)]
                case "dependencies": ["predecessor", "successor", "dep_type"].map { row[$0]?.string ?? "" }
                case "task_links", "task_recurrence_rules": ["task", "url"].map { row[$0]?.string ?? "" }
                case "memberships": [row["user"]?.text ?? ""]
                case "projects": [""]
                default: [row["name"]?.string ?? row["title"]?.string ?? ""]
                }
            found[parts.joined(separator: " ")] = row
        }
    }

    /// The part of a name that identifies a random project's task.
    private static func taskName(_ row: [String: JSON]) -> String {
        (row["name"]?.string ?? "").split(separator: " ").first.map(String.init) ?? ""
    }
}
