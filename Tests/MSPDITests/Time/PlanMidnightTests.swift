import SyncProtocol
import Testing

@testable import MSPDI

/// Midnight ends one day and begins another: what ends then ends with the day before.
@Suite struct PlanMidnightTests {
    private func task(_ fields: String) throws -> [String: JSON] {
        let settings = "<StartDate>2026-01-05T00:00:00</StartDate><MinutesPerDay>1440</MinutesPerDay>"
        let plan = try PlanFixture.plan(settings: settings, tasks: PlanFixture.task(1, fields))
        #expect(plan.notImported == [])
        return plan.task("T1")
    }

    private func moments(_ clock: String, _ names: [String]) -> String {
        names.map { "<\($0)>2026-01-\(clock)</\($0)>" }.joined()
    }

    @Test(arguments: ["07T00:00:00", "06T24:00:00", "07T00:00:00.000", "07 00:00:00", "06T17:00:00", "06"])
    func aFinishAtMidnightBelongsToTheDayBefore(clock: String) throws {
        let starts = moments("05T00:00:00", ["Start", "EarlyStart", "LateStart", "ActualStart"])
        let finishes = moments(clock, ["Finish", "EarlyFinish", "LateFinish", "ActualFinish"])
        for fields in [starts + finishes, finishes, moments("05T00:00:00", ["Start"]) + moments(clock, ["Finish"])] {
            let task = try task("\(fields)<Duration>PT48H0M0S</Duration>")
            for field in ["early_finish", "late_finish", "actual_finish"] where task[field] != .null {
                #expect(task[field] == "2026-01-06", "\(field)")
            }
            #expect(task["early_finish"] == "2026-01-06")
        }
    }

    @Test func aStartAtMidnightBelongsToTheDayAfter() throws {
        let names = ["Start", "EarlyStart", "LateStart", "ActualStart"]
        for clock in ["06T24:00:00", "07T00:00:00"] {
            let task = try task(moments(clock, names))
            for field in ["planned_start", "scheduled_start", "early_start", "late_start", "actual_start"] {
                #expect(task[field] == "2026-01-07", "\(field)")
            }
        }
    }

    /// A milestone at midnight is on the day that begins: it can't end before it has begun.
    @Test func whatTakesNoTimeEndsOnTheDayOnWhichItBegins() throws {
        let names = ["Start", "Finish", "EarlyFinish", "LateFinish", "ActualStart", "ActualFinish"]
        for fields in ["<Duration>PT0H0M0S</Duration>", "<Milestone>1</Milestone>", "<Duration>PT24H0M0S</Duration>"] {
            let task = try task(moments("07T00:00:00", names + ["EarlyStart"]) + fields)
            #expect(task["early_finish"] == "2026-01-07" && task["actual_finish"] == "2026-01-07")
        }
        let late = moments("05T00:00:00", ["Start"]) + moments("09T00:00:00", ["LateStart", "LateFinish"])
        #expect(try task(late + "<Duration>PT0H0M0S</Duration>")["late_finish"] == "2026-01-09")
    }

    @Test func theFirstAndTheLastDayOfTheCalendarHaveNoNeighbour() throws {
        #expect(try task("<Finish>0001-01-01T00:00:00</Finish>")["early_finish"] == "0001-01-01")
        #expect(try task("<Start>9999-12-31T24:00:00</Start>")["planned_start"] == "9999-12-31")
    }

    @Test func anExportEndsWithinAMinuteOfTheMidnight() throws {
        let fields =
            moments("05T00:00:00", ["Start", "ActualStart"])
            + moments("07T00:00:00", ["Finish", "LateFinish", "ActualFinish"]) + "<Duration>PT48H</Duration>"
        let plan = try PlanFixture.plan(
            settings: "<MinutesPerDay>1440</MinutesPerDay>", tasks: PlanFixture.task(1, fields))
        let (again, written) = try PlanFixture.again(plan)
        let task = try #require(WrittenDocument(written.text).tasks.first)
        for name in ["Finish", "LateFinish", "ActualFinish"] { #expect(task[name] == "2026-01-06T23:59:00", "\(name)") }
        #expect(PlanFixture.difference(plan, again) == [])
    }
}
