import Crypto
import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

/// Files in backups, checks, restores, exports, imports and copies, as an operator sees them.
@Suite struct FileCommandTests {
    private let operation: TidemarkProcess

    /// A project `hall` with the owner `load-1`.
    init() async throws {
        operation = try TidemarkProcess()
        try await operation.done("load", "prepare", "--rows", "20", "--users", "2", "--project", "hall")
    }

    private func path(_ name: String) -> String { operation.folder.path(name) }

    /// The files of a folder and of its folders, by path.
    private func files(_ folder: String) throws -> [String] {
        let names = FileManager.default.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path(folder + "/" + name), isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// The text of the file that a row names.
    private static func digest(_ text: String) -> String { Array(SHA256.hash(data: Data(text.utf8))).hex }

    /// Runs a server on a database, and calls `body` with it and the owner's token.
    private func serving(
        _ database: String = "plans.db", _ body: (ServingProcess, _ token: String) async throws -> Void
    ) async throws {
        let server = try await ServingProcess(operation, "--database", path(database))
        let made = try await operation.run(
            "token", "create", "--user", "load-1", "--name", "t", "--database", path(database))
        try await body(server, made.out.trimmingCharacters(in: .whitespacesAndNewlines))
        await server.stop()
    }

    /// Sends files, each with a row of its own.
    private func send(_ texts: String...) async throws {
        try await serving { server, token in
            for text in texts {
                let digest = Self.digest(text)
                let put = try await server.send(
                    .put, "/api/v1/projects/hall/files/\(digest)/", token: token, bytes: Data(text.utf8))
                #expect(put.status == 201)
                let row: JSON = ["id": .string("a-" + text), "name": "f", "file": .string(digest)]
                let made = try await server.send(.post, "/api/v1/projects/hall/attachments/", token: token, row)
                #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
            }
        }
    }

    /// What a server on the database says of the file and of its row; nil if the row is not there.
    private func state(_ text: String, in database: String = "plans.db", project: String = "hall") async throws -> (
        row: String?, bytes: String?
    ) {
        var state: (row: String?, bytes: String?) = (nil, nil)
        try await serving(database) { server, token in
            let rows = try await server.send(.get, "/api/v1/projects/\(project)/attachments/", token: token)
            let list = try JSON(parsing: String(decoding: rows.body, as: UTF8.self))["results"]?.array ?? []
            state.row = list.first { $0["file"]?.string == Self.digest(text) }?["state"]?.string
            let file = try await server.send(
                .get, "/api/v1/projects/\(project)/files/\(Self.digest(text))/", token: token)
            if file.status == 200 { state.bytes = String(decoding: file.body, as: UTF8.self) }
        }
        return state
    }

    private func check(_ database: String, _ options: String...) async throws -> TidemarkProcess.Result {
        try await operation.run(["check", "--json", "--database", path(database)] + options)
    }

    /// Gives the newest backup in the folder another time: the next one may be made in the same second.
    private func date(_ time: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path("b")).filter { $0.hasSuffix("Z.db") }
        let newest = try #require(names.max())
        try FileManager.default.moveItem(atPath: path("b/" + newest), toPath: path("b/plans-\(time)Z.db"))
    }

    // MARK: Backups

    @Test func aBackupHasItsFilesAndARestoreToo() async throws {
        try await send("one", "two")
        let result = try await operation.done("backup", path("b.db"), "--json")
        #expect(result.json["files"] == 2 && result.json["copied_files"] == 2 && result.json["lost_files"] == 0)
        #expect(try files("b.db-files") == files("plans.db-files"))
        #expect(try await check("b.db", "--bytes").status == 0)
        // The machine is gone.
        for name in ["plans.db", "plans.db-files"] { try FileManager.default.removeItem(atPath: path(name)) }
        let restored = try await operation.done("restore", path("b.db"))
        #expect(restored.out.contains("with 2 files"))
        #expect(try await state("one") == ("stored", "one"))
        #expect(try await state("two") == ("stored", "two"))
    }

    @Test func aFolderOfBackupsHasEachFileOnce() async throws {
        try FileManager.default.createDirectory(atPath: path("b"), withIntermediateDirectories: false)
        try await send("one")
        try await operation.done("backup", path("b"), "--keep", "2")
        try await send("two")
        try date("2026-01-01T000000")
        let second = try await operation.done("backup", path("b"), "--keep", "2", "--json")
        #expect(second.json["files"] == 2 && second.json["copied_files"] == 1)
        #expect(try files("b/plans-files").count == 2)
        // A file goes with the last backup that names it.
        try await serving { server, token in
            let gone = try await server.send(.delete, "/api/v1/attachments/a-one/", token: token)
            #expect(gone.status == 204)
        }
        for (day, left) in [(2, 2), (3, 1)] {
            try date("2026-01-0\(day)T000000")
            try await operation.done("backup", path("b"), "--keep", "2")
            #expect(try files("b/plans-files").count == left)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: path("b")) where name.hasSuffix(".db") {
            let report = try await check("b/" + name, "--bytes")
            #expect(report.status == 0, "\(report.out)")
        }
        try FileManager.default.removeItem(atPath: path("plans.db"))
        try FileManager.default.removeItem(atPath: path("plans.db-files"))
        #expect(try await operation.done("restore", path("b")).out.contains("with 1 file."))
        #expect(try await state("two") == ("stored", "two"))
    }

    /// The server's settings name the folder in a file that commands don't read.
    @Test func aBackupWithoutTheFolderIsRefused() async throws {
        try await send("one")
        try FileManager.default.moveItem(atPath: path("plans.db-files"), toPath: path("media"))
        let refused = try await operation.run("backup", path("b.db"), "--database", operation.database)
        #expect(refused.status == 1 && refused.err.contains("--store") && refused.err.contains("--without-files"))
        #expect(operation.size("b.db") == nil)
        let made = try await operation.done("backup", path("b.db"), "--store", path("media"), "--json")
        #expect(made.json["files"] == 1)
        #expect(try await operation.done("backup", path("c.db"), "--without-files", "--json").json["files"] == 0)
        #expect(try files("c.db-files") == [])
        let check = try await check("c.db")
        #expect(check.status == 0 && check.json["notes"]?.array?.first?.string?.contains("--store") == true)
    }

    @Test func aLostFileIsSaidAndDoesNotStopTheBackup() async throws {
        try await send("one", "two")
        let lost = try #require(try files("plans.db-files").first { $0.contains(Self.digest("one")) })
        try Data("onE".utf8).write(to: URL(filePath: path("plans.db-files/" + lost)))
        let result = try await operation.run("backup", path("b.db"), "--json", "--database", operation.database)
        #expect(result.status == 1 && result.err.contains("1 of 2 files"))
        #expect(result.json["files"] == 1 && result.json["lost_files"] == 1)
        #expect(try files("b.db-files").count == 1)
        // Its size alone is right.
        #expect(try await check("plans.db").status == 0)
        let found = try await check("plans.db", "--bytes")
        #expect(found.status == 1 && found.json["findings"]?.array?.first?["code"] == "changed_file")
        let missing = try await check("b.db")
        #expect(missing.status == 1 && missing.json["findings"]?.array?.first?["code"] == "missing_file")
        // It is restored nevertheless, and its row waits for the bytes.
        try FileManager.default.removeItem(atPath: path("plans.db"))
        try FileManager.default.removeItem(atPath: path("plans.db-files"))
        let restored = try await operation.run("restore", path("b.db"), "--database", operation.database)
        #expect(restored.status == 1 && restored.err.contains("pending"), "\(restored.err)")
        #expect(try await state("two") == ("stored", "two"))
        #expect(try await state("one") == ("pending", nil))
    }

    @Test func aRestoreReplacesNothing() async throws {
        try await operation.done("backup", path("b.db"))
        let refused = try await operation.run("restore", path("b.db"), "--database", operation.database)
        #expect(refused.status == 1 && refused.err.contains("already exists"))
        try FileManager.default.removeItem(atPath: path("plans.db"))
        try Data("log".utf8).write(to: URL(filePath: path("plans.db-wal")))
        let beside = try await operation.run("restore", path("b.db"), "--database", operation.database)
        #expect(beside.status == 1 && beside.err.contains("plans.db-wal"))
        let none = try await operation.run("restore", path("none.db"), "--database", path("new.db"))
        #expect(none.status == 1 && none.err.contains("none.db"))
        #expect(operation.size("plans.db") == nil && operation.size("new.db") == nil)
    }

    @Test func aCheckTellsOfFilesThatNobodyKnows() async throws {
        try await send("one")
        let folder = try #require(try files("plans.db-files").first?.prefix(2))
        try Data("stray".utf8).write(to: URL(filePath: path("plans.db-files/\(folder)/stray")))
        let report = try await check("plans.db")
        #expect(report.status == 0)
        #expect(report.json["notes"]?.array?.first?.string?.hasPrefix("1 file of 5 bytes") == true, "\(report.out)")
    }

    // MARK: Exports

    @Test func anExportTakesFilesAlong() async throws {
        try await send("one", "two")
        let export = try await operation.done("export", "hall", "--files", path("out")).out
        #expect(try files("out") == [Self.digest("one"), Self.digest("two")].sorted())
        try Data(export.utf8).write(to: URL(filePath: path("hall.json")))
        try FileManager.default.removeItem(atPath: path("out/" + Self.digest("two")))
        let imported = try await operation.done(
            "import", path("hall.json"), "--files", path("out"), "--owner", "load-1", "--new-ids", "--json")
        let notes = imported.json["not_imported"]?.array ?? []
        #expect(notes.contains { $0.string?.contains("1 file") == true }, "\(imported.out)")
        let project = try #require(imported.json["project"]?.string)
        #expect(try await state("one", project: project) == ("stored", "one"))
        #expect(try await state("two", project: project) == ("pending", nil))
        #expect(try await check("plans.db", "--bytes").status == 0)
    }

    @Test func anImportOfAnotherFileKeepsNothing() async throws {
        try await send("one", "two")
        let export = try await operation.done("export", "hall", "--files", path("out")).out
        try Data(export.utf8).write(to: URL(filePath: path("hall.json")))
        let last = [Self.digest("one"), Self.digest("two")].max()!
        try Data("other".utf8).write(to: URL(filePath: path("out/" + last)))
        let before = try files("plans.db-files")
        let refused = try await operation.run(
            "import", path("hall.json"), "--files", path("out"), "--owner", "load-1", "--new-ids", "--database",
            operation.database)
        #expect(refused.status == 1 && refused.err.contains(last))
        // The project is there already.
        try Data("two".utf8).write(to: URL(filePath: path("out/" + Self.digest("two"))))
        try Data("one".utf8).write(to: URL(filePath: path("out/" + Self.digest("one"))))
        let twice = try await operation.run(
            "import", path("hall.json"), "--files", path("out"), "--owner", "load-1", "--database", operation.database)
        #expect(twice.status == 1)
        #expect(try files("plans.db-files") == before)
    }

    // MARK: Purges and copies

    @Test func aPurgeRemovesFilesThatNobodyNames() async throws {
        try await send("one")
        try await serving { server, token in
            let unnamed = Data("unnamed".utf8)
            let put = try await server.send(
                .put, "/api/v1/projects/hall/files/\(Self.digest("unnamed"))/", token: token, bytes: unnamed)
            #expect(put.status == 201)
        }
        #expect(try await operation.done("purge", "--older-than", "90d", "--json").json["files"] == 0)
        #expect(try files("plans.db-files").count == 2)
        // Somebody may be about to record what the database does not know.
        let unknown = path("plans.db-files/aa/\(String(repeating: "a", count: 64)).1")
        try FileManager.default.createDirectory(
            atPath: path("plans.db-files/aa"), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: unknown))
        let purged = try await operation.done("purge", "--older-than", "90d", "--files-older-than", "0s", "--json")
        #expect(purged.json["files"] == 1)
        #expect(try files("plans.db-files").count == 2)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)], ofItemAtPath: unknown)
        _ = try await operation.done("purge", "--older-than", "90d", "--files-older-than", "0s")
        #expect(try files("plans.db-files").count == 1)
        #expect(try await state("one") == ("stored", "one"))
    }

    @Test func aCopySaysWhereTheFilesAre() async throws {
        try await send("one")
        let kept = try await operation.run("copy", operation.database, path("copy.db"), "--keep")
        #expect(kept.status == 0 && kept.err.contains("plans.db-files") && kept.err.contains("Copy them"))
        let moved = try await operation.run("copy", operation.database, path("moved.db"))
        #expect(moved.status == 0 && moved.err.contains("TIDEMARK_FILES_STORE"))
        var served = operation
        served.environment["TIDEMARK_FILES_STORE"] = path("plans.db-files")
        let scene = FileCommandTests(served)
        #expect(try await scene.state("one", in: "moved.db") == ("stored", "one"))
    }

    private init(_ operation: TidemarkProcess) { self.operation = operation }
}
