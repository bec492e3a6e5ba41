import Foundation
import SyncLoad
import SyncProtocol
import SyncServer
import Testing

/// Each profile against the real server, limited by numbers of actions.
@Suite struct ProfileTests {
    private func run(
        _ profile: LoadProfile, clients: Int, actions: Int, gzip: Bool, _ change: (inout LoadPlan) -> Void = { _ in }
    ) async throws -> LoadReport {
        let scene = try await LoadScene()
        var plan = scene.plan(profile, clients: clients, actions: actions, gzip: gzip)
        change(&plan)
        return try await LoadRun(plan).run()
    }

    private func count(_ kind: String, in report: LoadReport) -> Int {
        report.kinds.first { $0.name == kind }?.count ?? 0
    }

    @Test(arguments: [true, false])
    func coldStartsDrainEverything(gzip: Bool) async throws {
        let report = try await run(.coldStart, clients: 4, actions: 3, gzip: gzip)
        #expect(report.mistakes.entries == [])
        #expect(count("drain", in: report) == 12)
        #expect(report.checks.inspectedDrains == 1)
        #expect(report.checks.digestedDrains == 1)
        #expect(report.checks.comparedDrains == 11)
        // 300 rows without the 10 time entries of other users.
        #expect(report.checks.inspectedRows == 290)
        #expect(count("page", in: report) == 12 * 6)
    }

    @Test(arguments: [true, false])
    func pollsFindNothing(gzip: Bool) async throws {
        let report = try await run(.poll, clients: 3, actions: 20, gzip: gzip)
        #expect(report.mistakes.entries == [])
        #expect(count("poll", in: report) == 60)
        #expect(report.checks.polls == 60)
    }

    @Test func uploadsAreFoundAgain() async throws {
        let report = try await run(.upload, clients: 4, actions: 3, gzip: true) { $0.rowsPerBatch = 7 }
        #expect(report.mistakes.entries == [])
        #expect(count("upload", in: report) == 12)
        #expect(report.checks.inspectedRows == 290 + 290 + 84)
    }

    @Test(arguments: [true, false])
    func aMixGoesWell(gzip: Bool) async throws {
        let shares = try #require(LoadProfile.Shares(poll: 40, upload: 40, coldStart: 20))
        let report = try await run(.mixed(shares), clients: 4, actions: 10, gzip: gzip)
        #expect(report.mistakes.entries == [])
        #expect(report.checks.uploads > 0)
        #expect(report.checks.inspectedDrains > 2)
    }

    @Test(arguments: [true, false])
    func aStormIsWeathered(gzip: Bool) async throws {
        let report = try await run(.storm, clients: 12, actions: 1, gzip: gzip) { $0.threads = 2 }
        #expect(report.mistakes.entries == [])
        #expect(count("drain", in: report) == 12)
    }

    @Test func anOpenLoopKeepsItsPace() async throws {
        let report = try await run(.poll, clients: 2, actions: 10, gzip: true) { $0.rate = 100 }
        #expect(report.mistakes.entries == [])
        // The last of 20 requests is due after 19 intervals.
        #expect(report.seconds >= 0.19)
    }

    @Test func reportsSayTheSame() async throws {
        let report = try await run(.coldStart, clients: 2, actions: 1, gzip: true)
        #expect(report.json["kinds"]?["drain"]?["count"] == 2)
        #expect(report.json["mistakes"] == [])
        #expect(report.table.contains("290 rows, 1 by digest"))
        #expect(report.html.contains("<svg"))
        #expect(!report.html.contains("http"))
    }

    @Test func reportsSayUnderWhichCircumstances() async throws {
        let report = try await run(.coldStart, clients: 2, actions: 1, gzip: true)
        #expect(report.projectRows == 290 && report.json["project_rows"] == 290)
        #expect(report.json["server"]?["version"] == .string(Release.version))
        #expect(report.json["machine"]?["cores"]?.int ?? 0 > 0 && report.json["machine"]?["memory_bytes"]?.int ?? 0 > 0)
        for text in [report.table, report.html] {
            #expect(text.contains("Tidemark \(Release.version)") && text.contains("290 rows for each user"))
            #expect(text.contains("UTC") && text.contains("GB of memory") && text.contains("2 clients on 1 thread"))
        }
    }

    @Test func eachKindHasAxesOfItsOwn() async throws {
        let shares = try #require(LoadProfile.Shares(poll: 40, upload: 40, coldStart: 20))
        let report = try await run(.mixed(shares), clients: 4, actions: 10, gzip: true)
        let plots = report.html.components(separatedBy: "<svg").dropFirst()
        #expect(report.kinds.count == 4 && plots.count == 4 * 3 + 2)
        for plot in plots {
            let lines = plot.prefix(while: { $0 != "\n" }).components(separatedBy: "<polyline").count - 1
            #expect(lines == 1)
        }
        #expect(report.html.components(separatedBy: ">max ").count - 1 == plots.count)
    }

    @Test func aServerThatIsNotThereIsASentence() async throws {
        var plan = LoadPlan(target: try #require(LoadTarget("http://127.0.0.1:1")), profile: .poll)
        (plan.project, plan.tokens) = ("p", ["t"])
        await #expect(throws: LoadError("No connection to 127.0.0.1:1: Connection refused. Is the server running?")) {
            try await LoadRun(plan).run()
        }
    }

    @Test func aTokenThatIsWrongIsASentence() async throws {
        await #expect(throws: LoadError.self) {
            try await run(.poll, clients: 1, actions: 1, gzip: true) { $0.tokens = ["nobody's"] }
        }
    }
}
