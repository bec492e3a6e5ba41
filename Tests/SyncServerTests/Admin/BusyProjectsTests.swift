import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

@testable import SyncServer

/// The projects with the most requests of the last minutes.
@Suite struct BusyProjectsTests {
    private let clock = ManualClock(Instant(milliseconds: 1_800_000_000_000))

    private func busy(_ requests: [(String, Int)]) -> BusyProjects {
        let busy = BusyProjects(clock.wallClock)
        for (project, count) in requests {
            for number in 0..<count { busy.note(project, isUpload: number == 0) }
        }
        return busy
    }

    @Test func theBusiestComeFirst() {
        let all = busy([("a", 1), ("c", 2), ("b", 2), ("d", 5)]).all
        #expect(all.map(\.project) == ["d", "b", "c", "a"])
        #expect(all.map(\.requests) == [5, 2, 2, 1] && all.map(\.uploads) == [1, 1, 1, 1])
    }

    @Test func aRequestIsForgottenAfterFiveMinutes() {
        let busy = busy([("a", 1)])
        for minute in 1...4 {
            clock.advance(by: .seconds(60))
            #expect(busy.all.map(\.project) == ["a"], "minute \(minute)")
        }
        busy.note("b", isUpload: false)
        clock.advance(by: .seconds(60))
        #expect(busy.all.map(\.project) == ["b"])
    }

    @Test func aClockThatIsSetBackBeginsAgain() {
        let busy = busy([("a", 3)])
        clock.advance(by: .seconds(-120))
        busy.note("b", isUpload: false)
        #expect(busy.all.map(\.project) == ["b"])
        clock.advance(by: .seconds(120))
        #expect(busy.all.map(\.project) == ["b"])
    }

    /// A project with more than its share is among the first, and no figure is too high, whatever the order.
    @Test(arguments: 0..<10 as Range<UInt64>) func littleMemoryIsEnoughForTheBusiest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var requests = ["x", "y"].flatMap { Array(repeating: $0, count: 500) }
        requests += (0..<BusyProjects.places * 8).map { "p\($0)" }
        requests.shuffle(using: &random)
        let busy = busy(requests.map { ($0, 1) })
        let first = busy.all.prefix(2)
        #expect(Set(first.map(\.project)) == ["x", "y"], "seed \(seed)")
        #expect(first.allSatisfy { (400...500).contains($0.requests) }, "seed \(seed): \(first)")
        #expect(busy.all.dropFirst(2).allSatisfy { $0.requests == 1 }, "seed \(seed)")
    }

    @Test func theStatusTellsThemByName() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        for _ in 0..<3 { _ = try await cast[.member]!.page() }
        try await scene.insertTasks(["t1"])
        try await cast[.member]!.upload(updated: [["id": "t1", "name": "New"]])
        // Whoever is refused does not count.
        _ = try await cast[.outsider]!.page()
        _ = try await cast[.member]!.send("GET", "/projects/nobody/sync/")
        let status = try await cast[.superuser]!.send("GET", "/admin/status/").json
        #expect(
            status["busiest_projects"] == [
                ["project_id": "p1", "project_name": "Test", "requests": 4, "uploads": 1, "seconds": 300]
            ])
    }

    @Test func anUploadOfAllProjectsCountsForThoseThatItWroteTo() async throws {
        let scene = try await Scene()
        _ = try await scene.bench.another("p2")
        let chief = try await scene.superuser()
        let member = try await scene.client(.member).ofAllProjects
        let answer = try await member.upload(created: [["id": "t9", "name": "T", "project_id": "p2"]])
        #expect(answer.status == 200, "\(answer.json)")
        let status = try await chief.send("GET", "/admin/status/").json
        let busiest = status["busiest_projects"]?.array ?? []
        #expect(busiest.map { $0["project_id"] } == ["p2"] && busiest.first?["uploads"] == 1)
    }
}
