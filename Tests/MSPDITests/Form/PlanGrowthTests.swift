import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import MSPDI

/// Twice the plan takes about twice the time, whatever it is that the plan has twice of.
@Suite struct PlanGrowthTests {
    private static func times(_ number: Int, _ text: (Int) -> String) -> String {
        (1...number).map(text).joined()
    }

    private static func task(_ uid: Int, _ fields: String) -> String { PlanFixture.task(uid, fields) }

    private static func link(_ uid: Int) -> String {
        "<PredecessorLink><PredecessorUID>\(uid)</PredecessorUID></PredecessorLink>"
    }

    /// Plans of a size, with the size from which they show how they grow.
    private static let plans: [String: (size: Int, content: @Sendable (Int) -> String)] = [
        "tasks": (
            800,
            { size in
                let tasks = times(size) { uid in
                    let dates = "<Start>2026-01-05T08:00:00</Start><Finish>2026-01-05T17:00:00</Finish>"
                    let links = uid > 10 ? link(uid - 10) : ""
                    return task(uid, "<OutlineLevel>\(1 + uid % 9)</OutlineLevel>\(dates)\(links)")
                }
                return "<Tasks>\(tasks)</Tasks>"
            }
        ),
        // Not more: outline numbers such as 1.1.1 grow with the square of the depth.
        "tasks in a chain, each below the one before": (
            150,
            { size in
                let tasks = times(size) { task($0, "<OutlineLevel>\($0)</OutlineLevel>\(link($0 % 7 + 1))") }
                return "<Tasks>\(tasks)</Tasks>"
            }
        ),
        "links of one task": (
            1000, { size in "<Tasks>\(times(size) { task($0, "") })\(task(size + 1, times(size, link)))</Tasks>" }
        ),
        "values of one task": (
            1500,
            { size in
                let value = "<ExtendedAttribute><FieldID>1</FieldID><Value>x</Value></ExtendedAttribute>"
                let baseline = "<Baseline><Number>1</Number></Baseline>"
                return "<Tasks>\(task(1, times(size) { _ in value + baseline }))</Tasks>"
            }
        ),
        "a text": (200_000, { size in "<Tasks>\(task(1, "<Notes>\(times(size) { _ in "a&amp;" })</Notes>"))</Tasks>" }),
        "names that nobody knows": (
            1500, { size in "<Tasks>\(task(1, times(size) { "<Odd\($0)>1</Odd\($0)>" }))</Tasks>" }
        ),
        "calendars, each based on the next": (
            800,
            { size in
                let calendars = times(size) {
                    "<Calendar><UID>\($0)</UID><IsBaseCalendar>0</IsBaseCalendar>"
                        + "<BaseCalendarUID>\($0 + 1)</BaseCalendarUID></Calendar>"
                }
                return "<CalendarUID>1</CalendarUID><Calendars>\(calendars)</Calendars>"
            }
        ),
        "exceptions": (
            400,
            { size in
                let exceptions = times(size) { number in
                    let day = CalendarDate(daysSinceEpoch: 20_000 + 2 * number).text
                    return "<Exception><TimePeriod><FromDate>\(day)T00:00:00</FromDate><ToDate>\(day)T23:59:00</ToDate>"
                        + "</TimePeriod><Type>1</Type><DayWorking>\(number % 2)</DayWorking></Exception>"
                }
                let calendar = "<Calendar><UID>1</UID><Exceptions>\(exceptions)</Exceptions></Calendar>"
                return "<Calendars>\(calendar)</Calendars>"
            }
        ),
        "people": (
            800,
            { size in
                let people = times(size) { "<Resource><UID>\($0)</UID><Name>user \($0)</Name></Resource>" }
                let work = times(size) {
                    "<Assignment><TaskUID>\($0)</TaskUID><ResourceUID>\($0)</ResourceUID></Assignment>"
                }
                return "<Tasks>\(times(size) { task($0, "") })</Tasks>"
                    + "<Resources>\(people)</Resources><Assignments>\(work)</Assignments>"
            }
        ),
    ]

    private static func users(_ size: Int) -> [PlanUser] {
        (1...size).map { PlanUser(id: Int64($0), username: "user \($0)", displayName: "Same") }
    }

    @Test(arguments: plans.keys.sorted()) func anImportGrowsWithThePlan(name: String) throws {
        let (size, content) = try #require(Self.plans[name])
        let folder = try TemporaryFolder()
        let growth = try Growth.ofDoubling(size) { size in
            let file = folder.path("\(size).xml")
            try Data(PlanFixture.document(content(size)).utf8).write(to: URL(filePath: file))
            let reader = try PlanFixture.reader(Self.users(size))
            return { _ = try reader.read(contentsOf: file) }
        }
        #expect(growth < Growth.bound, "twice the \(name): \(growth) times the time")
    }

    @Test(arguments: plans.keys.sorted()) func anExportGrowsWithTheProject(name: String) throws {
        let (size, content) = try #require(Self.plans[name])
        let growth = try Growth.ofDoubling(size) { size in
            let users = Self.users(size)
            let plan = try PlanFixture.read(PlanFixture.document(content(size)), users: users)
            return { _ = PlanWriter(rows: plan.rows, users: users).write() }
        }
        #expect(growth < Growth.bound, "twice the \(name): \(growth) times the time")
    }

    /// What no import makes: calendars beside the project's, links of one task to pages, users of one name, roles.
    @Test func anExportGrowsWithWhatOnlyClientsMake() throws {
        let growth = try Growth.ofDoubling(300) { size in
            let ids = (0..<size).map { JSON.string("x\($0)") }
            let rows: [String: [[String: JSON]]] = [
                "projects": [["id": "p", "name": "P", "start_date": "2026-01-05"]],
                "memberships": ids.enumerated().map { ["id": $1, "user": .int(Int64($0)), "role": 2] },
                "calendars": ids.map { ["id": $0, "name": "C"] },
                "tasks": ids.enumerated().map { ["id": $1, "name": "T", "assignee": .int(Int64($0)), "sprint": "s"] },
                "task_links": ids.map { ["id": $0, "task": "x1", "url": "https://a.org"] },
                "task_recurrence_rules": ids.map { ["id": $0, "task": $0] },
            ]
            let users = (0..<size).map { PlanUser(id: Int64($0), username: $0 % 2 == 0 ? "A" : "a", displayName: "") }
            return { _ = PlanWriter(rows: rows, users: users).write() }
        }
        #expect(growth < Growth.bound, "\(growth) times the time")
    }
}
