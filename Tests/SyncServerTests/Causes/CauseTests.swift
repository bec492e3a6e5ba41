import Foundation
import GRDB
import SyncEngine
import SyncProtocol
@testable import SyncServer
import SyncStore
@testable import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Synchronization
import Testing

/// What keeps the server from working: made, told in each place, and ended without a restart.
@Suite struct CauseTests {
    /// What `/ready/` tells the operator.
    private func causes(_ scene: Scene) async throws -> [String] {
        try await scene.stranger.send("GET", "/ready").at("/causes")?.array?.compactMap { $0["cause"]?.string } ?? []
    }

    @Test func eachPlaceTellsTheSame() async throws {
        let free = Mutex<Int64>(1)
        let scene = try await Scene { _ in
            var maintenance = Maintenance()
            maintenance.folders = [WatchedFolder("backups", path: "/b") { free.withLock { $0 } << 30 }]
            maintenance.diskLowBytes = 2 << 30
            return maintenance
        }
        let root = try await scene.cast()[.superuser]!
        let told = try #require(try await scene.stranger.send("GET", "/ready").at("/causes/0"))
        #expect(told["cause"] == "disk_low" && told["stops"] == false && told["remedy"]?.string?.isEmpty == false)
        #expect(told["detail"] == "The disk of the backups, /b, has 1024 MiB left.")
        scene.clock.advance(by: .seconds(60))
        let status = try await root.send("GET", "/admin/status/").json
        #expect(status.at("/causes") == [told], "with the same beginning")
        let scraped = try await scene.stranger.send("GET", "/metrics").text.split(separator: "\n")
        let values = scraped.filter { $0.hasPrefix("tidemark_cause{") }.map(String.init)
        #expect(values.count == Cause.allCases.count)
        #expect(values.filter { $0.hasSuffix(" 1") } == [#"tidemark_cause{cause="disk_low"} 1"#])
        free.withLock { $0 = 3 }
        #expect(try await causes(scene) == [])
    }

    @Test func aDiskThatWasLowIsLowUntilATenthMoreIsFree() {
        let free = Mutex<Int64>(99)
        let watch = DiskWatch([WatchedFolder("files", path: "/f") { free.withLock { $0 << 20 } }], limit: 100 << 20)
        func isLow(_ megabytes: Int64) -> Bool {
            free.withLock { $0 = megabytes }
            return watch.findings(Instant(milliseconds: 0)).contains { $0.cause == .diskLow }
        }
        #expect([99, 105, 110, 105, 100, 99, 109].map(isLow) == [true, true, false, false, false, true, true])
        free.withLock { $0 = 15 }
        #expect(watch.findings(Instant(milliseconds: 0)).map(\.cause) == [.diskFull, .diskLow])
        let two = ["files", "backups"].map { WatchedFolder($0, path: "/\($0)") { 20 << 20 } }
        let list = CauseList(WallClock { Instant(milliseconds: 0) })
        list.watch(DiskWatch(two, limit: 100 << 20).findings)
        let detail = list.look().first?.detail
        #expect(detail == two.map { "The disk of the \($0.what), \($0.path), has 20 MiB left." }.joined(separator: " "))
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func aDatabaseThatTakesNoWritesIsToldUntilOneWorks() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let store = try scene.file
        try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") }
        let refused = try await member.upload(created: [["id": "t1", "name": "A"]])
        #expect(refused.status == 503 && refused.code == "busy" && refused.header("Retry-After") == "30")
        #expect(try await causes(scene) == ["database_read_only"])
        await store.recover()
        #expect(try await causes(scene) == ["database_read_only"])
        // One that writes nothing says nothing.
        #expect(try await scene.stranger.logOut("tmr_none").status < 300)
        #expect(try await causes(scene) == ["database_read_only"])
        #expect(try await member.page().status == 200)
        try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = OFF") }
        await store.recover()
        #expect(try await causes(scene) == [])
        #expect(try await member.upload(created: [["id": "t1", "name": "A"]]).status == 200)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func damageIsToldUntilACheckPasses() async throws {
        let isSound = Mutex(false)
        let scene = try await Scene(accounts: Scene.unlimited) { _ in
            var maintenance = Maintenance()
            maintenance.checks = Checks { _, _ in
                var report = CheckReport()
                if !isSound.withLock({ $0 }) {
                    report.add(CheckFinding(code: .damagedRow, place: "tasks", project: "p1", subject: "t1"))
                }
                return report
            }
            return maintenance
        }
        try scene.file.failures.troubles.note(.damaged)
        let root = try await scene.freshSuperuser("chief")
        func check() async throws {
            #expect(try await root.send("POST", "/admin/checks/").status == 202)
            while try await root.send("GET", "/admin/checks/").at("/state") != "idle" { await Task.yield() }
        }
        try await check()
        #expect(try await causes(scene) == ["damaged", "check_failed"])
        isSound.withLock { $0 = true }
        try await check()
        #expect(try await causes(scene) == [])
    }

    @Test func fullStreamsAreToldUntilOneIsFree() async throws {
        var events = EventSettings()
        events.streams = 1
        let scene = try await Scene(events: events)
        let member = try await scene.client(.member)
        do {
            let reader = try await EventReader(member)
            _ = try await reader.next()
            #expect(try await causes(scene) == ["streams_full"])
        }
        while try await causes(scene) != [] { await Task.yield() }
    }

    @Test func whoeverWantsNoStreamsMissesNone() async throws {
        var events = EventSettings()
        events.streams = 0
        #expect(try await causes(try await Scene(events: events)) == [])
    }

    /// A folder for backups in which a test puts what it likes.
    private final class Folder: Sendable {
        struct State {
            var newest: Instant?
            var failure: (any Error)?
        }

        let state = Mutex(State())

        var place: BackupTimer.Place {
            BackupTimer.Place(
                newest: { _ in self.state.withLock(\.newest) },
                backUp: { now in
                    try self.state.withLock { state in
                        if let failure = state.failure { throw failure }
                        state.newest = now
                    }
                    return "/backups/t.db"
                })
        }
    }

    @Test func backupsAreMissingLateOrFailing() async throws {
        let folder = Folder()
        let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))
        let backups = Backups(
            folder.place, plan: .init(every: .seconds(7200), folder: "/backups", kept: 3), clock: clock.wallClock)
        let list = CauseList(clock.wallClock)
        list.watch(backups, since: clock.wallClock.now())
        func causes() -> [Cause] { list.look().map(\.cause) }
        #expect(causes() == [], "the first one is about to be made")
        clock.advance(by: .seconds(61))
        #expect(causes() == [.backupNever])
        folder.state.withLock { $0.failure = StoreError("No room.", hint: "Make some.") }
        await #expect(throws: StoreError.self) { try await backups.place.backUp(clock.wallClock.now()) }
        #expect(causes() == [.backupNever, .backupFailing])
        #expect(list.look().last?.detail == "No room. Make some.")
        // Somebody makes one by a command.
        folder.state.withLock { $0.newest = clock.wallClock.now().advanced(by: .seconds(1)) }
        #expect(causes() == [])
        folder.state.withLock { $0.newest = nil }
        folder.state.withLock { $0.failure = nil }
        _ = try await backups.place.backUp(clock.wallClock.now())
        #expect(causes() == [])
        let due = clock.wallClock.now().advanced(by: .seconds(7200))
        clock.advance(by: .seconds(7200 + 3600))
        #expect(causes() == [])
        clock.advance(by: .seconds(1))
        #expect(causes() == [.backupOverdue])
        #expect(list.look().first?.since == due)
        _ = try await backups.place.backUp(clock.wallClock.now())
        #expect(causes() == [])
    }

    @Test func aBackupThatIsDamagedIsToldWhileItIsThere() async throws {
        let files = Mutex([BackupFile(name: "a.db", at: Instant(milliseconds: 5), bytes: 1)])
        let place = BackupTimer.Place(
            newest: { $0 }, backUp: { _ in "a.db" }, files: { files.withLock { $0 } })
        let backups = Backups(place, plan: .init(every: .seconds(7200), folder: "/backups", kept: 3))
        let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))
        let list = CauseList(clock.wallClock)
        list.watch(backups, since: clock.wallClock.now())
        backups.note(Backups.Verdict(at: Instant(milliseconds: 9), isSound: false), of: "a.db")
        #expect(list.look().map(\.cause) == [.checkFailed])
        files.withLock { $0 = [] }
        #expect(list.look() == [])
    }

    @Test func aCertificateIsToldTwoWeeksBeforeItEnds() throws {
        let folder = try TemporaryFolder()
        try TestCertificate.first.write(to: folder)
        let certificates = try Certificates(
            certificate: TestCertificate.certificateFile(folder), key: TestCertificate.keyFile(folder))
        let end = Instant("2120-01-01T00:00:00.000Z")!
        let clock = ManualClock(end.advanced(by: .seconds(-14 * 86_400 - 1)))
        let list = CauseList(clock.wallClock)
        list.watch(certificates)
        #expect(list.look() == [])
        clock.advance(by: .seconds(1))
        #expect(list.look().map(\.cause) == [.certificateExpiring])
        #expect(list.look().first?.detail == "The certificate expires at 2120-01-01T00:00:00.000Z.")
        clock.advance(by: .seconds(15 * 86_400))
        #expect(list.look().first?.detail == "The certificate has expired at 2120-01-01T00:00:00.000Z.")
    }

    @Test func theLogHasEachChangeOnce() throws {
        let log = CapturedLog()
        let logger = log.logger(LogSettings())
        let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))
        let list = CauseList(clock.wallClock)
        let findings = Mutex<[CauseFinding]>([])
        list.watch { _ in findings.withLock { $0 } }
        list.log(logger)
        findings.withLock { $0 = [CauseFinding(.diskFull), CauseFinding(.diskLow, detail: "Low.")] }
        for _ in 0..<3 { list.log(logger) }
        findings.withLock { $0 = [CauseFinding(.diskLow, detail: "Lower.")] }
        for _ in 0..<3 { list.log(logger) }
        let lines = log.lines
        #expect(lines.count == 3)
        #expect(lines[0].contains(" error ") && lines[0].contains("cause=disk_full"))
        #expect(lines[1].contains(" warning ") && lines[1].contains("Low. "))
        #expect(lines[2].contains(" notice ") && lines[2].contains("cause=disk_full"))
    }
}
