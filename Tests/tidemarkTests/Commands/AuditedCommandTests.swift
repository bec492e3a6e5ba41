import Foundation
import PostgreSQLTestKit
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What commands leave in the audit list of the database that they act on.
@Suite struct AuditedCommandTests {
    private let operation: TidemarkProcess

    init() async throws {
        operation = try TidemarkProcess()
        try await operation.done("user", "add", "alice")
    }

    /// The entries of a database file, oldest first.
    private func entries(_ file: String? = nil) async throws -> [AuditEntry] {
        let store = try SQLiteStore(
            path: file ?? operation.database, registry: Registry.builtIn(), opener: .guest, mender: DraftMender())
        defer { try? store.close() }
        let all = try await store.read(.installation) {
            try $0.audit(AuditSelection(since: Instant(milliseconds: 0)), limit: 100)
        }
        return all.reversed().map(\.content)
    }

    /// The one entry that the command adds.
    private func entry(_ arguments: String...) async throws -> AuditEntry {
        let before = try await entries()
        let result = try await operation.run(arguments + ["--database", operation.database])
        #expect(result.status == 0, "\(result.err)")
        let added = try await entries().dropFirst(before.count)
        #expect(added.count == 1)
        let entry = try #require(added.first)
        #expect(entry.actor.userID == nil && entry.actor.credential == "command" && entry.actor.address != nil)
        return entry
    }

    @Test func aBackupIsTold() async throws {
        let file = operation.folder.path("copy.db")
        let entry = try await entry("backup", file)
        #expect(entry.action == "backup_made" && entry.details["file"] == .string(file))
        #expect(entry.details["bytes"]?.int == operation.size("copy.db").map(Int64.init))
        #expect(operation.size("plans.db-wal") == nil, "a command that was alone leaves no log")
    }

    @Test func aBackupBesideAServerIsTold() async throws {
        let server = try await ServingProcess(operation)
        let entry = try await entry("backup", operation.folder.path("copy.db"))
        #expect(entry.action == "backup_made")
        await server.stop()
    }

    /// It may have been made with other schemas than the command's.
    @Test func aBackupOfABackupChangesNothingOfIt() async throws {
        try await operation.done("backup", operation.folder.path("copy.db"))
        let before = try Data(contentsOf: operation.folder.url.appending(path: "copy.db"))
        let result = try await operation.run(
            "backup", operation.folder.path("again.db"), "--database", operation.folder.path("copy.db"))
        #expect(result.status == 0 && result.err.contains("audit list") && operation.size("again.db") != nil)
        #expect(try Data(contentsOf: operation.folder.url.appending(path: "copy.db")) == before)
    }

    @Test func aPurgeIsTold() async throws {
        let entry = try await entry("purge", "--older-than", "90d")
        #expect(entry.action == "purged")
        #expect(entry.details == ["older_than_seconds": .int(90 * 86_400), "tombstones": 0, "projects": 0, "files": 0])
    }

    @Test func aRestoreIsTold() async throws {
        let entry = try await entry("restored")
        #expect(entry.action == "restored" && entry.details["projects"] == 0)
        #expect(try #require(entry.details["jump"]?.int) > 0)
    }

    @Test func aBackupThatOpeningRestoresIsTold() async throws {
        let file = operation.folder.path("copy.db")
        try await operation.done("backup", file)
        let result = try await operation.run("restored", "--database", file)
        #expect(result.status == 0, "\(result.err)")
        #expect(try await entries(file).last?.action == "restored")
    }

    @Test func aPromotionIsInTheAuditList() async throws {
        let database = try TestDatabase()
        for command in [["user", "add", "alice"], ["promoted"]] {
            let result = try await operation.run(command + ["--database", database.addressText])
            #expect(result.status == 0, "\(result.err)")
        }
        let entries = try database.run("SELECT action, credential FROM tidemark_audit ORDER BY id")
        #expect(entries == [["user_added", "command"], ["promoted", "command"]])
    }

    @Test func whatAPreparedLoadTestAddsIsInTheAuditList() async throws {
        let before = try await entries()
        let result = try await operation.run(
            "load", "prepare", "--rows", "20", "--users", "2", "--database", operation.database)
        #expect(result.status == 0, "\(result.err)")
        let added = try await entries().dropFirst(before.count)
        // One entry for each chunk of rows.
        let (imports, others) = (
            added.filter { $0.action == "rows_imported" }, added.map(\.action).filter { $0 != "rows_imported" }
        )
        #expect(others == ["user_added", "user_added", "project_created", "token_created", "token_created"])
        #expect(!imports.isEmpty && added.allSatisfy { $0.actor.credential == "command" })
    }

    @Test func droppingRemovedFieldsIsTold() async throws {
        let entry = try await entry("schema", "prune")
        #expect(entry.action == "schema_pruned" && entry.details == ["fields": [], "collections": [], "rows": 0])
    }

    @Test func aCopyIsToldInTheDatabaseThatItMakes() async throws {
        let before = try await entries()
        let result = try await operation.run("copy", operation.database, operation.folder.path("new.db"))
        #expect(result.status == 0, "\(result.err)")
        let entries = try await entries(operation.folder.path("new.db"))
        #expect(Array(entries.dropLast()) == before && entries.last?.action == "copied")
        #expect(entries.last?.details["moved"] == true)
        #expect(try #require(entries.last?.details["rows"]?.int) > 0)
    }

    @Test func whatFailsOrOnlyReadsIsNotTold() async throws {
        let before = try await entries()
        let failing = [["backup", "/nowhere/copy.db"], ["copy", operation.database, operation.database]]
        for arguments in failing {
            let database = arguments[0] == "copy" ? [] : ["--database", operation.database]
            #expect(try await operation.run(arguments + database).status != 0, "\(arguments)")
        }
        for arguments in [["check"], ["user", "list"], ["project", "list"]] {
            #expect(try await operation.run(arguments + ["--database", operation.database]).status == 0)
        }
        #expect(try await entries() == before)
    }

    // MARK: The server

    /// A backup and checks of a real server, from its settings on.
    @Test func aServerMakesAndChecksBackupsWhenItIsAsked() async throws {
        try await operation.done(
            "user", "add", "root", "--superuser", "--password-stdin", input: "a good password\n")
        let folder = operation.folder.path("backups")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var operation = operation
        operation.environment["TIDEMARK_BACKUP_FOLDER"] = folder
        let server = try await ServingProcess(operation)
        let login = try await server.send(
            .post, "/auth/token/", ["username": "root", "password": "a good password"]
        ).content
        let token = try #require(login["access"]?.string)
        func get(_ path: String) async throws -> JSON { try await server.send(.get, path, token: token).content }
        func finished(_ path: String) async throws -> JSON {
            while true {
                let state = try await get(path)
                if state["state"] == "idle" { return state }
            }
        }
        // The server makes its first one by itself.
        var files: [JSON] = []
        while files.isEmpty { files = try await get("/admin/backups/")["results"]?.array ?? [] }
        _ = try await finished("/admin/backups/")
        let own = try #require(files[0]["file"]?.string)
        #expect(own.hasPrefix("plans-") && own.hasSuffix("Z.db") && files[0]["bytes"]!.int! > 0)
        let before = try Data(contentsOf: URL(filePath: folder).appending(path: own))
        #expect(try await server.send(.post, "/admin/backups/\(own)/check/", token: token).status == 202)
        let check = try await finished("/admin/checks/")
        #expect(check["verdict"] == "sound" && check["backup"] == .string(own), "\(check)")
        #expect(try Data(contentsOf: URL(filePath: folder).appending(path: own)) == before)
        #expect(try await server.send(.post, "/admin/checks/", token: token).status == 202)
        #expect(try await finished("/admin/checks/")["verdict"] == "sound")
        #expect(try await get("/admin/storage/")["backups"]?["folder"] == .string(folder))
        await server.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names) == [own, "plans.backups"], "a check leaves no file beside the backup")
    }
}

extension TransportResponse {
    fileprivate var content: JSON { (try? JSON(parsing: body)) ?? .null }
}
