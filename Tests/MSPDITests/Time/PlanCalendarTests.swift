import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanCalendarTests {
    private func plan(_ calendars: String, settings: String = "") throws -> ImportedPlan {
        try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>" + settings, calendars: "<Calendars>\(calendars)</Calendars>")
    }

    private func calendar(_ uid: Int, _ name: String, _ fields: String = "", days: [Int: Int] = [:]) -> String {
        let days = days.map { "<WeekDay><DayType>\($0)</DayType><DayWorking>\($1)</DayWorking></WeekDay>" }
        return
            "<Calendar><UID>\(uid)</UID><Name>\(name)</Name>\(fields)<WeekDays>\(days.joined())</WeekDays></Calendar>"
    }

    @Test func withoutCalendarThereIsTheUsualOne() throws {
        let row = try PlanFixture.plan().calendar
        #expect(
            row.filter { $0.key != "id" } == [
                "name": "Standard", "working_days": 31, "hours_per_day": 8, "exceptions": [],
            ])
    }

    @Test(arguments: [(1, 64), (2, 1), (3, 2), (4, 4), (5, 8), (6, 16), (7, 32)])
    func eachDayTypeHasItsBit(type: Int, bit: Int64) throws {
        let others = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, $0 == type ? 1 : 0) })
        #expect(try plan(calendar(1, "A", days: others)).calendar["working_days"] == .int(bit))
    }

    @Test func daysThatAreNotListedAreMondayToFriday() throws {
        #expect(try plan(calendar(1, "A", days: [7: 1])).calendar["working_days"] == 63)
        #expect(try plan(calendar(1, "A", days: [2: 0])).calendar["working_days"] == 30)
    }

    @Test func daysThatAreNotListedAreInheritedFromTheBase() throws {
        let plan = try plan(
            calendar(1, "Base", "<IsBaseCalendar>1</IsBaseCalendar>", days: [1: 1, 2: 0])
                + calendar(
                    2, "Own", "<IsBaseCalendar>0</IsBaseCalendar><BaseCalendarUID>1</BaseCalendarUID>", days: [3: 0]),
            settings: "<CalendarUID>2</CalendarUID>")
        #expect(plan.calendar["name"] == "Own")
        #expect(plan.calendar["working_days"] == .int(64 + 4 + 8 + 16))
        #expect(plan.notImported == ["1 other calendar: Base"])
    }

    @Test func calendarsBasedOnEachOtherEnd() throws {
        let plan = try plan(
            calendar(1, "A", "<IsBaseCalendar>0</IsBaseCalendar><BaseCalendarUID>2</BaseCalendarUID>")
                + calendar(2, "B", "<IsBaseCalendar>0</IsBaseCalendar><BaseCalendarUID>1</BaseCalendarUID>"),
            settings: "<CalendarUID>1</CalendarUID>")
        #expect(plan.calendar["working_days"] == 31)
    }

    @Test func theProjectsCalendarIsTakenElseTheFirstBase() throws {
        let calendars =
            calendar(1, "Ann", "<IsBaseCalendar>0</IsBaseCalendar>") + calendar(2, "Base") + calendar(3, "Night")
        let named = try plan(calendars, settings: "<CalendarUID>3</CalendarUID>")
        #expect(named.calendar["name"] == "Night")
        #expect(named.notImported == ["2 other calendars: Ann, Base"])
        #expect(try plan(calendars).calendar["name"] == "Base")
        let missing = try plan(calendars, settings: "<CalendarUID>8</CalendarUID>")
        #expect(missing.calendar["name"] == "Base")
        #expect(missing.notImported.last == "the project's calendar 8, which is not in the plan")
    }

    @Test func aCalendarWithoutWorkingDayIsListed() throws {
        let none = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 0) })
        let plan = try plan(calendar(1, "A", days: none))
        #expect(plan.calendar["working_days"] == 31)
        #expect(plan.notImported == ["a calendar without a working day: Monday to Friday are used"])
    }

    @Test func unusualHoursAreListed() throws {
        let hours = { (from: String) in
            "<WorkingTimes><WorkingTime><FromTime>\(from)</FromTime><ToTime>12:00:00</ToTime></WorkingTime>"
                + "<WorkingTime><FromTime>13:00:00</FromTime><ToTime>17:00:00</ToTime></WorkingTime></WorkingTimes>"
        }
        let days = ["08:00:00", "07:00:00"].enumerated().map {
            "<WeekDay><DayType>\($0 + 2)</DayType><DayWorking>1</DayWorking>\(hours($1))</WeekDay>"
        }
        let plan = try plan("<Calendar><UID>1</UID><WeekDays>\(days.joined())</WeekDays></Calendar>")
        #expect(plan.calendar["name"] == "Standard")
        #expect(plan.notImported == ["the working times of 1 weekday of the calendar"])
    }

    @Test func workWeeksAndOverlongNamesAreListed() throws {
        let long = String(repeating: "n", count: 300)
        let plan = try plan(calendar(1, long, "<WorkWeeks><WorkWeek><Name>x</Name></WorkWeek></WorkWeeks>"))
        #expect(plan.calendar["name"]?.string?.count == 255)
        #expect(
            plan.notImported == [
                "calendar field WorkWeeks: 1 calendar", "the name of 1 calendar cut to 255 characters",
            ])
    }
}
