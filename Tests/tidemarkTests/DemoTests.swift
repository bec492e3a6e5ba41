import Foundation
import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStores
import Synchronization
import Testing

@testable import tidemark

/// What `serve --demo` shows.
@Suite struct DemoTests {
    private static let wednesday = Int64(CalendarDate("2031-10-15")!.daysSinceEpoch)

    private struct Found {
        let greeting: Demo.Greeting
        let tasks: [JSON]
        let names: [String]
        let members: Int
    }

    /// The demo on a day in a database where these have accounts.
    private func demo(_ day: CalendarDate, with others: [String] = [], starts: Int = 1) async throws -> Found {
        let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "t.db").path()
        let wiring = try await Wiring(database: path, as: .server(.ask))
        for name in others { _ = try await wiring.services.accounts.addUser(name, displayName: "Tom Okafor") }
        let noon = Instant(milliseconds: Int64(day.daysSinceEpoch) * 86_400_000 + 43_200_000)
        var greeting: Demo.Greeting?
        for _ in 0..<starts { greeting = try await Demo(wiring: wiring, database: path) { noon }.prepare() }
        let project = try #require(greeting?.project)
        let text = Mutex("")
        try await wiring.services.exports.write(project) { part in text.withLock { $0 += part } }
        let export = try JSON(parsing: text.withLock { $0 })
        return Found(
            greeting: try #require(greeting), tasks: export["rows"]?["tasks"]?.array ?? [],
            names: try await wiring.services.accounts.users().map(\.username.rawValue).sorted(),
            members: export["rows"]?["memberships"]?.array?.count ?? 0)
    }

    private func date(_ task: JSON, _ field: String) -> CalendarDate? { task[field]?.string.flatMap(CalendarDate.init) }

    /// On each day of a week one task is late, some are done, most are to come, and nobody begins on a weekend.
    @Test(arguments: 0..<7) func thePlanIsUnderWayWhenItIsStarted(offset: Int) throws {
        let monday = try #require(CalendarDate("2031-10-13"))
        let today = CalendarDate(daysSinceEpoch: monday.daysSinceEpoch + offset)
        let file = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString).xml")
        try DemoPlan.xml(on: today).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let plan = try PlanReader(users: [], fallbackStart: today, newID: { UUID().uuidString })
            .read(contentsOf: file.path()) { _, _ in }
        let rows = (plan.rows["tasks"] ?? []).map(JSON.object)
        let parents = Set(rows.compactMap { $0["parent"]?.string })
        let tasks = rows.filter { !parents.contains($0["id"]?.string ?? "") }
        let late = tasks.filter { task in
            guard task["status"] != "COMPLETE", let finish = date(task, "early_finish") else { return false }
            return finish.daysSinceEpoch < today.daysSinceEpoch
        }
        #expect(late.compactMap { $0["name"] } == ["Review with the heritage office"])
        #expect(tasks.count { $0["status"] == "COMPLETE" } == 5)
        #expect(tasks.count { date($0, "planned_start")!.daysSinceEpoch > today.daysSinceEpoch } == 16)
        #expect(tasks.count { $0["is_critical"] == true } > 8)
        for task in tasks {
            let start = try #require(date(task, "planned_start"))
            let weekday = ((start.daysSinceEpoch - monday.daysSinceEpoch) % 7 + 7) % 7
            #expect(weekday < 5, "\(task)")
        }
    }

    @Test func fivePeopleWorkOnIt() async throws {
        let day = CalendarDate(daysSinceEpoch: Int(Self.wednesday))
        let found = try await demo(day, starts: 2)
        #expect(found.names == ["demo", "ines", "jonas", "mara", "tom"])
        #expect(found.members == 5)
        #expect(Set(found.tasks.compactMap { $0["assignee"]?.string }).count == 5)
        #expect(found.greeting.password != nil)
    }

    /// Whoever has accounts gets no others, and nobody becomes a member for their name.
    @Test func peopleOfOthersAreLeftAlone() async throws {
        let day = CalendarDate(daysSinceEpoch: Int(Self.wednesday))
        let found = try await demo(day, with: ["tom"])
        #expect(found.names == ["demo", "tom"])
        #expect(found.members == 1)
    }

    /// Later starts leave the plan where it was.
    @Test func itStaysWhereItBegan() async throws {
        let day = CalendarDate(daysSinceEpoch: Int(Self.wednesday))
        let found = try await demo(day)
        #expect(found.tasks.count == 28)
        let review = try #require(found.tasks.first { $0["name"] == "Review with the heritage office" })
        #expect(review["planned_start"] == "2031-10-06" && review["actual_start"] == "2031-10-06")
    }
}
