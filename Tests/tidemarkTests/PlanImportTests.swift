import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import Testing
@testable import tidemark

/// `tidemark import` of a plan.
@Suite struct PlanImportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let plan = """
            <Project xmlns="http://schemas.microsoft.com/project"><Name>Hall</Name>
            <StartDate>2026-01-05T08:00:00</StartDate>
            <Tasks><Task><UID>1</UID><ID>1</ID><Name>Dig</Name><OutlineLevel>1</OutlineLevel></Task>
            <Task><UID>2</UID><ID>2</ID><Name>Pour</Name><OutlineLevel>1</OutlineLevel></Task></Tasks></Project>
            """
        try Data(plan.utf8).write(to: folder.appending(path: "plan.xml"))
    }

    private func run(schemas: [String: String]?) async throws -> (PlanImport.Outcome, ItemPage) {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in schemas ?? [:] {
            try Data(text.utf8).write(to: folder.appending(path: name + ".json"))
        }
        let wiring = try await Wiring(
            database: folder.appending(path: "t.db").path(), schemas: schemas.map { _ in folder.path() },
            as: .server(.ask))
        let owner = try await wiring.services.accounts.addUser("alice")
        let caller = Caller(userID: owner.id, username: owner.username)
        do {
            let outcome = try await PlanImport(wiring: wiring, owner: owner)
                .run(folder.appending(path: "plan.xml").path())
            return (outcome, try await wiring.services.projects.list(for: caller, after: "", limit: 5))
        } catch {
            #expect(try await wiring.services.projects.list(for: caller, after: "", limit: 5).rows.isEmpty)
            throw error
        }
    }

    private static let header = #""$schema": "urn:tidemark:meta-schema", "type": "object""#

    private static let small = [
        "projects": """
        {\(header), "title": "projects", "x-scope": "project", "required": ["name", "start_date"],
         "x-roles": {"create": "ANYONE", "update": "ADMIN", "delete": "OWNER"},
         "properties": {"name": {"type": "string"}, "start_date": {"type": "string", "format": "date"}}}
        """,
        "memberships": """
        {\(header), "title": "memberships", "x-scope": "membership", "required": ["user", "role"],
         "x-roles": {"create": "ADMIN", "update": "ADMIN", "delete": "VIEWER"},
         "properties": {"user": {"type": "integer"}, "role": {"type": "integer"}}}
        """,
    ]

    @Test func whatWasStoredIsCounted() async throws {
        let (outcome, projects) = try await run(schemas: nil)
        #expect(outcome.counts["tasks"] == 2 && projects.rows.count == 1)
    }

    @Test func aSchemaWithoutTasksTakesNoPlan() async throws {
        let error = await #expect(throws: CommandError.self) { _ = try await run(schemas: Self.small) }
        #expect(error?.description.contains("calendars, projects.calendar") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("tasks") == true)
    }

    /// Files of one's own may be older than ranks.
    @Test func aSchemaWithoutRanksTakesAPlan() async throws {
        var schemas: [String: String] = [:]
        for collection in try Registry.builtIn().collections {
            var document = collection.document.object ?? [:]
            if collection.name == "tasks" {
                document["properties"] = document["properties"]?.object.map { .object($0.filter { $0.key != "rank" }) }
            }
            schemas[collection.name] = JSON.object(document).text
        }
        let (outcome, _) = try await run(schemas: schemas)
        #expect(outcome.counts["tasks"] == 2)
    }

    @Test func aSchemaThatLacksAFieldOfAPlanTakesNoPlan() async throws {
        var schemas = Self.small
        for (name, fields) in [
            ("calendars", ["name", "timezone"]), ("tasks", ["name", "status"]), ("dependencies", ["lag"]),
        ] {
            let properties = fields.map { "\"\($0)\": {\"type\": \"string\", \"default\": \"\"}" }
            schemas[name] = """
                {\(Self.header), "title": "\(name)",
                 "x-roles": {"create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"},
                 "properties": {\(properties.joined(separator: ", "))}}
                """
        }
        let error = await #expect(throws: CommandError.self) { _ = try await run(schemas: schemas) }
        #expect(error?.description.contains("tasks.duration") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("tasks.name") == false)
    }
}
