import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanDurationTests {
    private func plan(_ fields: String, settings: String = "") throws -> ImportedPlan {
        try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>" + settings, tasks: PlanFixture.task(1, fields))
    }

    @Test(arguments: [
        ("PT8H0M0S", 1), ("PT40H0M0S", 5), ("PT0H0M0S", 0), ("PT480M", 1), ("P2D", 2), ("P1DT8H", 2), ("P1M", 20),
        ("P1Y", 240), ("PT28800S", 1),
    ])
    func wholeDaysAreTakenSilently(text: String, days: Int64) throws {
        let plan = try plan("<Duration>\(text)</Duration>")
        #expect(plan.each("duration") == [.int(days)])
        #expect(plan.notImported == [])
    }

    @Test(arguments: [("PT11H0M0S", 1), ("PT12H0M0S", 2), ("PT0H1M0S", 1), ("PT3H", 1), ("PT20H0M0S", 3)])
    func otherDurationsAreRoundedAndNeverToNothing(text: String, days: Int64) throws {
        let plan = try plan("<Duration>\(text)</Duration>")
        #expect(plan.each("duration") == [.int(days)])
        #expect(plan.notImported == ["durations of 1 task rounded to whole days"])
    }

    @Test func aDayHasTheProjectsMinutes() throws {
        let plan = try plan("<Duration>PT12H</Duration>", settings: "<MinutesPerDay>360</MinutesPerDay>")
        #expect(plan.each("duration") == [2])
        #expect(plan.calendar["hours_per_day"] == 6)
    }

    @Test(arguments: ["0", "1441", "-5", "many", "NaN", "1e-320"])
    func anImpossibleDayIsListedAndHasEightHours(minutes: String) throws {
        let plan = try plan("<Duration>PT16H</Duration>", settings: "<MinutesPerDay>\(minutes)</MinutesPerDay>")
        #expect(plan.each("duration") == [2])
        #expect(plan.calendar["hours_per_day"] == 8)
        #expect(plan.notImported == ["a working day of \(minutes) minutes: 480 are used"])
    }

    @Test(arguments: [4, 6, 8, 10, 12, 20, 36, 38, 40, 42, 44, 52])
    func elapsedDurationsBecomeWorkingDays(format: Int) throws {
        let plan = try plan("<Duration>PT168H0M0S</Duration><DurationFormat>\(format)</DurationFormat>")
        #expect(plan.each("duration") == [5])
        #expect(plan.notImported == ["durations of 1 task from elapsed time converted to working days"])
    }

    @Test(arguments: [3, 5, 7, 9, 11, 21, 35, 39, 53])
    func otherFormatsCountWork(format: Int) throws {
        #expect(
            try plan("<Duration>PT16H</Duration><DurationFormat>\(format)</DurationFormat>").each("duration") == [2])
    }

    @Test func noDurationIsADayAndNoneForAMilestone() throws {
        #expect(try plan("").each("duration") == [1])
        #expect(try plan("<Milestone>1</Milestone>").each("duration") == [0])
        #expect(try plan("<Milestone>1</Milestone><Duration>PT8H</Duration>").each("duration") == [1])
    }

    @Test(arguments: [
        "8 hours", "PT", "P", "-8 hours", "PT8", "PTH", "8H", "PT8D", "P8H", "PT1e3H", "PT8H T", "PT9999999999999999H",
    ])
    func anUnreadableDurationIsListed(text: String) throws {
        let plan = try plan("<Duration>\(text)</Duration>")
        #expect(plan.each("duration") == [1])
        #expect(plan.notImported == ["unreadable Duration of 1 task"])
    }

    @Test(arguments: ["-PT8H", "PT-8H0M0S", "-P2D"]) func aNegativeDurationIsToldAsOne(text: String) throws {
        let plan = try plan("<Duration>\(text)</Duration>")
        #expect(plan.each("duration") == [1])
        #expect(plan.notImported == ["negative Duration of 1 task"])
    }

    @Test func anEndlessDurationIsCutAndListed() throws {
        let plan = try plan("<Duration>PT999999999H</Duration>")
        #expect(plan.each("duration") == [36_525])
        #expect(plan.notImported == ["durations of 1 task cut to 36525 days"])
    }
}
