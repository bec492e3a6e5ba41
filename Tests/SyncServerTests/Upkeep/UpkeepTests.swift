import Foundation
import SyncAccounts
import SyncProtocol
@testable import SyncServer
import SyncStore
import SyncStores
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// Backups and checks that superusers start: `/admin/backups/` and `/admin/checks/`.
@Suite struct UpkeepTests {
    /// What the work of a scene does next.
    private final class Script: Sendable {
        struct State {
            var waits = false
            var failure: (any Error)?
            var report = CheckReport()
        }

        let state = Mutex(State())

        /// Returns when the test lets it, and throws what the test wants.
        func play() async throws {
            while state.withLock({ $0.waits }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            if let failure = state.withLock({ $0.failure }) { throw failure }
        }
    }

    private struct Fault: Error {}

    private let script = Script()
    private let scene: Scene
    private let root: Client

    init() async throws {
        scene = try await Scene(accounts: Scene.unlimited) { [script] place in
            let files = Mutex<[BackupFile]>([])
            let backups = BackupTimer.Place(
                newest: { _ in nil },
                backUp: { now in
                    try await script.play()
                    let name = "t-\(now.milliseconds).db"
                    files.withLock { $0.append(BackupFile(name: name, at: now, bytes: 7)) }
                    return "/backups/\(name)"
                }, files: { files.withLock { $0 } })
            var maintenance = Maintenance()
            maintenance.backups = Backups(
                backups, plan: .init(every: .seconds(3600), folder: "/backups", kept: 3))
            maintenance.checks = Checks { backup, onProgress in
                onProgress(1, 2)
                try await script.play()
                return script.state.withLock { $0.report }
            }
            return maintenance
        }
        root = try await scene.freshSuperuser("chief")
    }

    private func get(_ path: String) async throws -> JSON { try await root.send("GET", path).json }

    /// Waits until the work that `path` tells of is done.
    private func finished(_ path: String) async throws -> JSON {
        while true {
            let state = try await get(path)
            if state["state"] == "idle" { return state }
            await Task.yield()
        }
    }

    /// The entries of the audit list with this action. Work that is done has one.
    private func entries(_ action: String) async throws -> [JSON] {
        try await get("/admin/audit/?action=\(action)")["results"]?.array ?? []
    }

    private static let starts = ["/admin/backups/", "/admin/checks/"]

    @Test(arguments: starts) func onlySuperusersReadAndOnlyWithAFreshPasswordTheyStart(path: String) async throws {
        for (who, client) in try await scene.cast() {
            let expected = who == .superuser ? 200 : who == .anonymous ? 401 : 403
            #expect(try await client.send("GET", path).status == expected, "\(who)")
            // A token is no session.
            let code =
                who == .superuser ? "reauthentication_required" : who == .anonymous ? "unauthorized" : "forbidden"
            #expect(try await client.send("POST", path).code == code, "\(who)")
        }
        scene.clock.advance(by: .seconds(600))
        let late = try await root.send("POST", path)
        #expect(late.status == 401 || late.code == "reauthentication_required")
        #expect(
            try await scene.bench.store.read { try $0.audit(.init(since: Instant(milliseconds: 0)), limit: 100) }
                .allSatisfy { !["backup_made", "checked"].contains($0.content.action) })
    }

    @Test(arguments: starts) func oneIsUnderWayAtATime(path: String) async throws {
        script.state.withLock { $0.waits = true }
        let first = try await root.send("POST", path)
        #expect(first.status == 202 && first.json["state"] == "running")
        let second = try await root.send("POST", path)
        #expect(second.status == 409 && second.code == "conflict")
        #expect(try await get(path)["state"] == "running")
        script.state.withLock { $0.waits = false }
        _ = try await finished(path)
        #expect(try await root.send("POST", path).status == 202)
        _ = try await finished(path)
    }

    @Test func aBackupIsListedAsSoundAndInTheAuditList() async throws {
        for _ in 0..<2 {
            scene.clock.advance(by: .seconds(1))
            #expect(try await root.send("POST", "/admin/backups/").status == 202)
            _ = try await finished("/admin/backups/")
        }
        let files = try #require(try await get("/admin/backups/")["results"]?.array)
        #expect(files.count == 2 && files[0]["at"]!.string! > files[1]["at"]!.string!)
        #expect(files[0]["verdict"] == "sound" && files[0]["verified_at"]?.string != nil && files[0]["bytes"] == 7)
        let entries = try await entries("backup_made")
        #expect(entries.count == 2)
        let entry = try #require(entries.first)
        #expect(entry.at("/actor/name") == "chief" && entry.at("/actor/address") == "127.0.0.1")
        #expect(entry.at("/details/file")?.string?.hasPrefix("/backups/t-") == true)
        let plan = try await get("/admin/storage/")["backups"]
        #expect(plan == ["every_seconds": 3600, "folder": "/backups", "kept": 3, "hint": .null])
    }

    @Test(arguments: starts) func aFailureIsToldInASentenceAndLeavesNoEntry(path: String) async throws {
        let failures: [(any Error, String)] = [
            (StoreError("The disk is full.", hint: "Free some space."), "The disk is full. Free some space."),
            (Fault(), "log"),
        ]
        for (error, text) in failures {
            script.state.withLock { $0.failure = error }
            #expect(try await root.send("POST", path).status == 202)
            let failure = try #require(try await finished(path)["last_error"]?.string)
            #expect(failure.contains(text) && !failure.contains("Fault"), "\(failure)")
        }
        script.state.withLock { $0.failure = nil }
        _ = try await root.send("POST", path)
        #expect(try await finished(path)["last_error"] == .null)
        let action = path.contains("backups") ? "backup_made" : "checked"
        #expect(try await entries(action).count == 1)
    }

    @Test func theServersOwnBackupWaitsForOneThatIsAskedFor() async throws {
        script.state.withLock { $0.waits = true }
        #expect(try await root.send("POST", "/admin/backups/").status == 202)
        let timer = try #require(scene.server.maintenance.backups?.place)
        await #expect(throws: (any Error).self) { try await timer.backUp(scene.clock.wallClock.now()) }
        script.state.withLock { $0.waits = false }
        _ = try await finished("/admin/backups/")
        scene.clock.advance(by: .seconds(1))
        _ = try await timer.backUp(scene.clock.wallClock.now())
        #expect(try await get("/admin/backups/")["results"]?.array?.count == 2)
        // Nobody did that.
        #expect(try await entries("backup_made").count == 1)
    }

    @Test func aCheckTellsItsProgressAndWhatItFound() async throws {
        #expect(try await get("/admin/checks/")["started_at"] == .null)
        script.state.withLock { state in
            state.waits = true
            state.report.add(CheckFinding(code: .wrongGate, place: "tasks", project: "p1", subject: "t1"))
            state.report.rows = 5
        }
        #expect(try await root.send("POST", "/admin/checks/").status == 202)
        while try await get("/admin/checks/")["done"] != 1 { await Task.yield() }
        let running = try await get("/admin/checks/")
        #expect(running["total"] == 2 && running["verdict"] == .null && running["finished_at"] == .null)
        script.state.withLock { $0.waits = false }
        let done = try await finished("/admin/checks/")
        #expect(done["verdict"] == "damaged" && done["rows"] == 5 && done["backup"] == .null)
        #expect(done.at("/findings/0/code") == "wrong_gate" && done.at("/findings/0/project_id") == "p1")
        #expect(done.at("/findings/0/remedy")?.string == CheckCode.wrongGate.remedy)
        let entry = try #require(try await entries("checked").first)
        #expect(entry["details"] == ["sound": false, "rows": 5, "backup": .null])
    }

    @Test func aBackupIsCheckedAgain() async throws {
        #expect(try await root.send("POST", "/admin/backups/t.db/check/").code == "not_found")
        _ = try await root.send("POST", "/admin/backups/")
        let file = try #require(try await finished("/admin/backups/").at("/results/0/file")?.string)
        script.state.withLock {
            $0.report.add(CheckFinding(code: .damagedFile, place: "the file", project: "", subject: "x"))
        }
        let answer = try await root.send("POST", "/admin/backups/\(file)/check/")
        #expect(answer.status == 202 && answer.json["backup"] == .string(file))
        _ = try await finished("/admin/checks/")
        #expect(try await get("/admin/backups/").at("/results/0/verdict") == "damaged")
    }

    @Test(arguments: starts) func aServerThatStopsEndsTheWorkFirst(path: String) async throws {
        script.state.withLock { $0.waits = true }
        #expect(try await root.send("POST", path).status == 202)
        // It would never return if the work went on.
        await scene.server.stop()
    }

    @Test func aServerWithoutAFolderSaysWhatToDo() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        let root = try await scene.freshSuperuser("chief")
        let answer = try await root.send("POST", "/admin/backups/")
        #expect(answer.status == 409 && answer.code == "conflict")
        #expect(answer.json["detail"]?.string?.contains("TIDEMARK_BACKUP_FOLDER") == true)
        #expect(try await root.send("GET", "/admin/backups/").json["results"] == [])
    }

    /// The real check, of a database that is being served.
    @Test func theDatabaseIsCheckedWhileItIsServed() async throws {
        let scene = try await Scene(accounts: Scene.unlimited) { place in
            var maintenance = Maintenance()
            let (database, store) = (place.database, place.store)
            maintenance.checks = Checks { _, onProgress in
                try await EngineStore.checkAside(database, open: store, files: nil, onProgress: onProgress)
            }
            return maintenance
        }
        let root = try await scene.freshSuperuser("chief")
        try await scene.insertTasks(["t1", "t2"])
        #expect(try await root.send("POST", "/admin/checks/").status == 202)
        var state: JSON
        repeat { state = try await root.send("GET", "/admin/checks/").json } while state["state"] != "idle"
        #expect(state["verdict"] == "sound" && state["last_error"] == .null, "\(state)")
        #expect(state["rows"]!.int! >= 2 && state["done"] == state["total"] && state["total"]!.int! > 20)
        try await scene.insertTasks(["t3"])
        let member = try await scene.client(.member)
        #expect(try await member.page().text.contains("t3"))
    }
}
