import SyncProtocol
import SyncSchema
import SyncStore
import Testing

@testable import SyncServer

/// `GET /admin/status/`.
@Suite struct ServerStatusTests {
    @Test func aSuperuserReadsTheMetricsAndNobodyElse() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        _ = try await cast[.member]!.page()
        for (who, client) in cast where who != .superuser {
            let answer = try await client.send("GET", "/admin/status/")
            #expect(answer.status == (who == .anonymous ? 401 : 403), "\(who)")
            #expect(answer.code == (who == .anonymous ? "unauthorized" : "forbidden"), "\(who)")
        }
        let status = try await cast[.superuser]!.send("GET", "/admin/status/").json
        #expect(status["version"] == .string(Release.version))
        #expect(status["schema_version"] == .string(scene.registry.version))
        let metrics = try #require(status["metrics"]?.array)
        let pulls = metrics.filter {
            $0["name"] == "tidemark_http_requests_total"
                && $0["labels"] == ["route": "/projects/{project}/sync/", "method": "GET", "status": "200"]
        }
        #expect(pulls.map { $0["value"] } == [1])
        let durations = metrics.filter {
            $0["name"] == "tidemark_http_request_duration_seconds"
                && $0.at("/labels/route") == "/projects/{project}/sync/"
        }
        #expect(durations.map { $0["count"] } == [1])
        #expect(durations.first?.at("/buckets")?.array?.count == Metric.durations.bounds.count)
    }

    @Test func theSameMetricsAreInBothForms() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        _ = try await cast[.member]!.page()
        let status = try await cast[.superuser]!.send("GET", "/admin/status/").json
        let names = Set(try #require(status["metrics"]?.array).compactMap { $0["name"]?.string })
        let scraped = try await scene.stranger.send("GET", "/metrics").text.split(separator: "\n")
            .compactMap { $0.hasPrefix("# TYPE ") ? String($0.split(separator: " ")[2]) : nil }
        #expect(names == Set(scraped))
    }
}

/// The slowest requests of the last minutes.
@Suite struct SlowRequestTests {
    private let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))

    private func note(_ milliseconds: Int64, in slow: SlowRequests) {
        slow.note(milliseconds: milliseconds) {
            SlowRequests.Entry(
                at: $0, id: "r\(milliseconds)", method: "GET", route: "/", status: 200, milliseconds: milliseconds)
        }
    }

    @Test func theSlowestComeFirstAndFastOnesAreNotKept() {
        let slow = SlowRequests(clock.wallClock)
        for milliseconds in [20, 9, 500, 10] { note(Int64(milliseconds), in: slow) }
        #expect(slow.all.map(\.id) == ["r500", "r20", "r10"])
    }

    @Test func onlyTheSlowestTwentyAreKept() {
        let slow = SlowRequests(clock.wallClock)
        for milliseconds in (100..<200).shuffled() { note(Int64(milliseconds), in: slow) }
        #expect(slow.all.map(\.milliseconds) == (180..<200).reversed())
    }

    @Test func aRequestIsForgottenAfterFiveMinutes() {
        let slow = SlowRequests(clock.wallClock)
        note(500, in: slow)
        clock.advance(by: .seconds(SlowRequests.memory))
        note(50, in: slow)
        #expect(slow.all.map(\.id) == ["r500", "r50"])
        clock.advance(by: .milliseconds(1))
        #expect(slow.all.map(\.id) == ["r50"])
    }
}
