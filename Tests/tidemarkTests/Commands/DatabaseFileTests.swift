import Foundation
import ArgumentParser
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// Which commands create a database, where they look for it, its rights, and what files they leave next to it.
@Suite struct DatabaseFileTests {
    private let operation: TidemarkProcess

    init() throws { operation = try TidemarkProcess() }

    private static let others = [
        ["user", "list"], ["user", "disable", "a"], ["user", "enable", "a"], ["user", "remove", "a"],
        ["user", "rename", "a", "--display-name", "A"], ["user", "link", "a", "--issuer", "i", "--subject", "s"],
        ["user", "password", "a", "--password-stdin"], ["token", "create", "--user", "a"],
        ["token", "list", "--user", "a"], ["token", "revoke", "1", "--user", "a"], ["project", "list"],
        ["member", "list", "--project", "p"], ["member", "add", "--project", "p", "--user", "a"],
        ["member", "remove", "--project", "p", "--user", "a"], ["export", "p"], ["purge", "--older-than", "0s"],
        ["restored"], ["check"], ["backup", "copy.db"], ["schema", "prune"],
    ]

    @Test(arguments: others) func aMissingDatabaseIsRefusedWithTheRemedyAndNotMade(arguments: [String]) async throws {
        let result = try await operation.run(arguments + ["--database", "plnas.db"], "a good password\n")
        #expect(result.status == 1 && result.out.isEmpty)
        #expect(result.err.contains("There is no database plnas.db.") && result.err.contains("tidemark user add"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: operation.folder.path("")).isEmpty)
    }

    @Test func anImportMakesNoDatabase() async throws {
        try Data("<Project/>".utf8).write(to: operation.folder.url.appending(path: "plan.xml"))
        let result = try await operation.run("import", "plan.xml", "--owner", "a", "--database", "plnas.db")
        #expect(result.status == 1 && result.err.contains("There is no database plnas.db."))
        #expect(operation.size("plnas.db") == nil)
    }

    @Test func anEmptyFileIsNoDatabaseButForWhoMakesOne() async throws {
        try Data().write(to: operation.folder.url.appending(path: "plans.db"))
        let refused = try await operation.run("user", "list", "--database", operation.database)
        #expect(refused.status == 1 && refused.err.contains("is empty"))
        #expect(try await operation.done("user", "add", "alice").err.contains("Made a new database"))
    }

    @Test func whoMakesADatabaseSaysSoOnce() async throws {
        let first = try await operation.done("user", "add", "alice")
        #expect(first.err == "Made a new database at \(operation.database).\n" && first.out == "1\n")
        #expect(try await operation.done("user", "add", "bob").err.isEmpty)
        let server = try await ServingProcess(operation)
        #expect(!server.greeting.contains("Made a new database"))
    }

    @Test func aServerOnANewDatabaseSaysSoAndNamesTheDocsAndTheNextCommand() async throws {
        let server = try await ServingProcess(operation)
        #expect(server.greeting.contains("Made a new database at \(operation.database)."))
        #expect(server.greeting.contains("\(server.url)/docs/\n"))
        #expect(
            server.greeting.contains("tidemark user add NAME --password-stdin --database \(operation.database)\n"))
        await server.stop()
        try await operation.done("user", "add", "alice")
        #expect(try await !ServingProcess(operation).greeting.contains("user add"))
    }

    @Test func theVariableNamesTheDatabaseUnlessTheOptionDoes() throws {
        func path(_ arguments: [String], _ variable: String?) throws -> String {
            try DatabasePath.parse(arguments).path(in: variable.map { ["TIDEMARK_DATABASE": $0] } ?? [:])
        }
        #expect(try path([], nil) == "tidemark.db")
        #expect(try path([], "") == "tidemark.db")
        #expect(try path([], "a.db") == "a.db")
        #expect(try path(["--database", "b.db"], "a.db") == "b.db")
    }

    @Test func everyCommandTakesTheVariable() async throws {
        try await operation.done("user", "add", "alice")
        var operation = operation
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        for arguments in [["user", "list"], ["check"], ["backup", "copy.db"], ["project", "list"]] {
            #expect(try await operation.run(arguments).status == 0, "\(arguments)")
        }
        let settings = try await operation.run("serve", "--print-config")
        #expect(settings.out.contains(/--database +\S+plans\.db +environment/))
    }

    // MARK: Rights

    @Test func theFilesAreForTheirOwnerAlone() async throws {
        try await operation.done("user", "add", "alice")
        #expect(try operation.mode("plans.db") == 0o600)
        let server = try await ServingProcess(operation)
        try await operation.done("token", "create", "--user", "alice")
        for name in ["plans.db", "plans.db-wal", "plans.db-shm", "plans.db-lock", "plans.db-checkpoint"] {
            #expect(try operation.mode(name) == 0o600, "\(name)")
        }
        try await operation.done("backup", "copy.db")
        #expect(try operation.mode("copy.db") == 0o600)
        _ = server.url
    }

    @Test func whatAFolderOfBackupsHoldsIsForItsOwnerAlone() async throws {
        try await operation.done("user", "add", "alice")
        let folder = operation.folder.url.appending(path: "backups")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try await operation.done("backup", "backups")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 2)
        for name in names { #expect(try operation.mode("backups/" + name) == 0o600, "\(name)") }
        // As earlier versions made it.
        let mark = folder.appending(path: "plans.backups").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: mark)
        // The second backup may be of the same second, and so have the same name.
        for name in names where name.hasSuffix(".db") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        try await operation.done("backup", "backups", "--compact", "--keep", "1")
        #expect(try operation.mode("backups/plans.backups") == 0o600)
    }

    /// Settings that a server does not start with.
    @Test(arguments: [
        ["TIDEMARK_TLS_CERTIFICATE": "a.pem"], ["TIDEMARK_TLS_CERTIFICATE": "a.pem", "TIDEMARK_TLS_KEY": "a.key"],
        ["TIDEMARK_HTTP_ORIGINS": "*"], ["TIDEMARK_SYNC_UPLOAD_COLLECTIONS": "nope"],
        ["TIDEMARK_BACKUP_FOLDER": "nope"], ["TIDEMARK_IDENTITY_ISSUER": "https://id.example.org/"],
        [
            "TIDEMARK_IDENTITY_ISSUER": "a", "TIDEMARK_IDENTITY_AUDIENCE": "b",
            "TIDEMARK_IDENTITY_KEYS": "http://id.example.org/",
        ],
    ])
    func printingTheSettingsRefusesWhatTheStartRefuses(environment: [String: String]) async throws {
        var operation = operation
        operation.environment = environment
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        let start = try await operation.run("serve", "--port", "0")
        #expect(start.status == 1 && start.out.isEmpty)
        let printed = try await operation.run("serve", "--print-config")
        #expect(printed.status == 1 && printed.out.isEmpty)
        #expect(start.err.hasSuffix(printed.err), "\(printed.err)")
    }

    @Test func whatAnEarlierVersionLeftOpenIsClosedAndSaid() async throws {
        try await operation.done("user", "add", "alice")
        #expect(chmod(operation.database, 0o644) == 0)
        let result = try await operation.done("user", "list")
        #expect(result.err.contains("was open to every user of this machine"))
        #expect(try operation.mode("plans.db") == 0o600)
        #expect(try await operation.done("user", "list").err.isEmpty)
    }

    @Test func rightsForAGroupAreLeftAsSomebodyChoseThem() async throws {
        try await operation.done("user", "add", "alice")
        #expect(chmod(operation.database, 0o640) == 0)
        #expect(try await operation.done("user", "list").err.isEmpty)
        #expect(try operation.mode("plans.db") == 0o640)
    }

    // MARK: The log

    @Test func aCommandThatWasAloneLeavesNoLog() async throws {
        try await operation.done("user", "add", "alice")
        for arguments in [["token", "create", "--user", "alice"], ["user", "list"], ["user", "disable", "alice"]] {
            _ = try await operation.run(arguments + ["--database", operation.database])
            #expect(operation.size("plans.db-wal") ?? 0 == 0, "\(arguments)")
        }
        let failed = try await operation.run("user", "disable", "nobody", "--database", operation.database)
        #expect(failed.status == 1 && operation.size("plans.db-wal") ?? 0 == 0)
        try FileManager.default.copyItem(atPath: operation.database, toPath: operation.folder.path("copy.db"))
        let copy = try await operation.run("user", "list", "--database", operation.folder.path("copy.db"))
        #expect(copy.lines.map { $0[1...3] } == [["alice", "alice", "disabled"]])
    }

    @Test func besideAServerTheLogIsTheServers() async throws {
        try await operation.done("user", "add", "alice")
        let server = try await ServingProcess(operation)
        try await operation.done("token", "create", "--user", "alice")
        #expect(operation.size("plans.db-wal") ?? 0 > 0)
        await server.stop()
        #expect(operation.size("plans.db-wal") == nil)
    }

    @Test func aServerThatCantListenLeavesNoLog() async throws {
        let first = try await ServingProcess(operation)
        let port = try #require(first.url.split(separator: ":").last)
        let result = try await operation.run(
            "serve", "--port", String(port), "--database", operation.folder.path("other.db"))
        #expect(result.status == 1)
        #expect(result.err.contains("Another program listens on 127.0.0.1:\(port)."))
        #expect(!result.err.contains("errno"))
        #expect(operation.size("other.db-wal") == nil)
    }
}
