import Foundation
import SyncAccounts
import SyncProtocol
import SyncServer
import Testing

/// What `GET /metrics` counts.
@Suite struct MetricsTests {
    private static let sync = "/projects/{project}/sync/"

    @Test func requestsAreCountedByTheirRoute() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for path in ["/api/v1/projects/p1/sync/", "/projects/p1/sync", "/projects/nope/sync"] {
            _ = try await member.send("GET", path)
        }
        _ = try await member.send("HEAD", "/health")
        _ = try await scene.stranger.page()
        _ = try await member.send("PUT", member.syncPath)
        let seen = try await scene.scrape()
        #expect(seen.requests("GET", Self.sync, 200) == 2)
        #expect(seen.requests("GET", Self.sync, 404) == 1)
        #expect(seen.requests("GET", Self.sync, 401) == 1)
        #expect(seen.requests("PUT", Self.sync, 405) == 1)
        #expect(seen.requests("HEAD", "/health/", 200) == 1)
        #expect(seen["tidemark_http_request_duration_seconds_count{route=\"\(Self.sync)\"}"] == 5)
        #expect(seen.problems("unauthorized") == 1)
        #expect(seen.problems("not_found") == 1)
    }

    @Test func whatIsNoRouteIsOneLabel() async throws {
        let scene = try await Scene()
        for path in ["/secret-1", "/secret-2/x", "/api/v1/secret-3"] {
            _ = try await scene.stranger.send("GET", path)
        }
        for method in ["MKCOL", "PROPFIND"] { _ = try await scene.stranger.send(method, "/health") }
        let seen = try await scene.scrape()
        #expect(seen.requests("GET", "unknown", 404) == 3)
        #expect(seen.requests("other", "unknown", 404) == 2)
        #expect(!seen.text.localizedCaseInsensitiveContains("secret"))
    }

    @Test func uploadedRowsAreCountedByWhatBecameOfThem() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let batch = UUID().uuidString
        for _ in 0..<2 { try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch) }
        try await member.upload(deleted: ["t1", "unknown"])
        try await member.upload(
            created: [["id": "t2", "name": "B"], ["id": "t3"]], members: ["on_error": "reject_rows"])
        try await member.upload(created: [["id": "t4", "name": "C"], ["id": "t5"], ["id": "t6"]])
        let seen = try await scene.scrape()
        #expect(seen.rows("applied") == 3)
        #expect(seen.rows("skipped") == 1)
        #expect(seen.rows("rejected") == 1)
        #expect(seen.rows("refused") == 3)
        #expect(seen["tidemark_upload_replays_total"] == 1)
    }

    @Test func aPageThatIsAskedForAgainIsCountedAsKept() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3"])
        let member = try await scene.client(.member)
        for _ in 0..<3 { _ = try await member.page(["page_size": "2", "collections": "tasks"]) }
        let seen = try await scene.scrape()
        #expect(seen.pages("missing") == 1)
        #expect(seen.pages("kept") == 2)
        #expect(seen["tidemark_page_cache_pages"] == 1)
        #expect((seen["tidemark_page_cache_bytes"] ?? 0) > 0)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func commitsAreCountedWithTheirGroups() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let before = try await scene.scrape()
        for id in ["t1", "t2"] { try await member.upload(created: [["id": .string(id), "name": "A"]]) }
        let seen = try await scene.scrape()
        let commits = try #require(before["tidemark_commits_total"])
        // The purge at the start commits too.
        #expect((seen["tidemark_commits_total"] ?? 0) >= commits + 2)
        for series in ["count", "bucket{le=\"+Inf\"}"] {
            #expect(seen["tidemark_commit_group_size_\(series)"] == seen["tidemark_commits_total"])
        }
        #expect((seen["tidemark_commit_group_size_sum"] ?? 0) >= commits + 2)
        // That purge may still be waiting.
        #expect((seen["tidemark_write_queue_length"] ?? -1) >= 0)
        #expect((seen["tidemark_wal_bytes"] ?? 0) > 0)
    }

    @Test func openConnectionsAreCounted() async throws {
        let scene = try await Scene()
        #expect((try await scene.scrape()["tidemark_http_connections"] ?? 0) >= 1)
    }

    @Test func theAgeOfTheNewestBackupIsThereWhereTheServerMakesThem() async throws {
        let scene = try await Scene()
        #expect(try await scene.scrape()["tidemark_backup_newest_timestamp_seconds"] == nil)
        scene.server.watch(
            BackupTimer.Place(newest: { _ in Instant(milliseconds: 1_780_000_000_500) }, backUp: { _ in "" }))
        #expect(try await scene.scrape()["tidemark_backup_newest_timestamp_seconds"] == 1_780_000_000.5)
    }

    @Test func refusedLoginsAndFloodsAreCounted() async throws {
        var accounts = Scene.unlimited
        accounts.settings.loginsPerAddress = 2
        let scene = try await Scene(accounts: accounts)
        try await scene.addAlice()
        for _ in 0..<3 { _ = try await scene.stranger.logIn("alice", "wrong") }
        let seen = try await scene.scrape()
        #expect(seen.problems("invalid_credentials") == 2)
        #expect(seen.problems("rate_limited") == 1)
    }

    @Test func twoServersOfOneProcessCountApart() async throws {
        let (one, other) = (try await Scene(), try await Scene())
        _ = try await one.stranger.send("GET", "/health")
        #expect(try await one.scrape().requests("GET", "/health/", 200) == 1)
        #expect(try await other.scrape().requests("GET", "/health/", 200) == 0)
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func theProcessAndTheBuildAreThere() async throws {
        let seen = try await Scene().scrape()
        #expect(seen.text.contains("tidemark_build_info{version=\"\(Release.version)\",schema=\""))
        #expect(seen.text.contains("store=\"SQLite 3."))
        #expect((seen["process_cpu_seconds_total"] ?? 0) > 0)
        #if os(Linux)
            #expect((seen["process_resident_memory_bytes"] ?? 0) > 1_000_000)
            #expect((seen["process_open_fds"] ?? 0) > 5)
        #endif
    }
}
