import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanExceptionTests {
    private func plan(_ content: String, settings: String = "") throws -> ImportedPlan {
        try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>" + settings,
            calendars: "<Calendars><Calendar><UID>1</UID><Name>Main</Name>\(content)</Calendar></Calendars>")
    }

    private func exception(_ from: String, _ to: String, _ name: String = "", _ fields: String = "") -> String {
        "<Exception><TimePeriod><FromDate>\(from)T00:00:00</FromDate><ToDate>\(to)T23:59:00</ToDate></TimePeriod>"
            + "<Name>\(name)</Name>\(fields)</Exception>"
    }

    private func texts(_ exceptions: String, settings: String = "") throws -> [String] {
        try plan("<Exceptions>\(exceptions)</Exceptions>", settings: settings).exceptionTexts
    }

    @Test func exceptionsAreRangesInOrder() throws {
        let exceptions = exception("2026-12-24", "2026-12-31", "Winter") + exception("2026-05-01", "2026-05-01", "May")
        #expect(try texts(exceptions) == ["2026-05-01 2026-05-01 May", "2026-12-24 2026-12-31 Winter"])
    }

    @Test func adjacentRangesOfOneNameAreJoined() throws {
        let exceptions =
            exception("2026-05-02", "2026-05-03", "A") + exception("2026-05-01", "2026-05-01", "A")
            + exception("2026-05-03", "2026-05-05", "A") + exception("2026-05-04", "2026-05-04", "B")
        #expect(try texts(exceptions) == ["2026-05-01 2026-05-05 A", "2026-05-04 2026-05-04 B"])
    }

    @Test func theOldFormIsReadWhereThereIsNoNewOne() throws {
        let old = """
            <WeekDays><WeekDay><DayType>0</DayType><DayWorking>0</DayWorking><TimePeriod>
            <FromDate>2003-12-25T00:00:00</FromDate><ToDate>2003-12-26T23:59:00</ToDate>\
            </TimePeriod></WeekDay></WeekDays>
            """
        #expect(try plan(old).exceptionTexts == ["2003-12-25 2003-12-26 "])
        let both = "<Exceptions>\(exception("2003-12-25", "2003-12-26", "Xmas"))</Exceptions>"
        #expect(try plan(old + both).exceptionTexts == ["2003-12-25 2003-12-26 Xmas"])
        #expect(try plan(old + both).calendar["working_days"] == 31)
    }

    @Test func workingExceptionsAndThoseWithoutDatesAreListed() throws {
        let working = exception("2026-05-02", "2026-05-02", "Inventory", "<DayWorking>1</DayWorking>")
        let undated = "<Exception><Name>Lost</Name></Exception>"
        let reversed = exception("2026-05-09", "2026-05-02")
        let plan = try plan("<Exceptions>\(working)\(undated)\(reversed)</Exceptions>")
        #expect(plan.exceptionTexts == [])
        #expect(
            plan.notImported == [
                "working days \"Inventory\" of the calendar, 2026-05-02 to 2026-05-02",
                "calendar exception \"Lost\", which has no dates", "calendar exception \"\", which has no dates",
            ])
    }

    private let work = "<DayWorking>1</DayWorking>"

    /// Fridays off from 2 January on; all of May off. 16 January is a Friday, 17 a Saturday.
    private var fridays: String {
        exception("2026-01-01", "2026-01-31", "F", "<Type>6</Type><DaysOfWeek>32</DaysOfWeek>")
    }

    @Test func aWorkingDayInsideARecurringDayOffIsWorked() throws {
        for exceptions in [
            fridays + exception("2026-01-16", "2026-01-16", "W", work),
            exception("2026-01-16", "2026-01-16", "W", work) + fridays,
        ] {
            let plan = try plan("<Exceptions>\(exceptions)</Exceptions>")
            #expect(plan.exceptionTexts == ["02", "09", "23", "30"].map { "2026-01-\($0) 2026-01-\($0) F" })
            #expect(plan.notImported == [])
        }
    }

    @Test func aWorkingExceptionThatSaysMoreIsListed() throws {
        let hours = "<WorkingTimes><WorkingTime><FromTime>08:00:00</FromTime><ToTime>12:00:00</ToTime></WorkingTime>"
        for (to, fields) in [("17", work), ("16", work + hours + "</WorkingTimes>")] {
            let working = exception("2026-01-16", "2026-01-\(to)", "W", fields)
            let plan = try plan("<Exceptions>\(fridays)\(working)</Exceptions>")
            #expect(plan.exceptionTexts.count == 4)
            #expect(plan.notImported == ["working days \"W\" of the calendar, 2026-01-16 to 2026-01-\(to)"])
        }
    }

    @Test func aRecurringWorkingDayYieldsToARangeOffAndSplitsARecurringOne() throws {
        let mondays = exception("2026-05-01", "2026-05-31", "W", "<Type>6</Type><DaysOfWeek>2</DaysOfWeek>\(work)")
        let off = exception("2026-05-01", "2026-05-31", "May")
        #expect(try texts(off + mondays) == ["2026-05-01 2026-05-31 May"])
    }

    @Test func aWorkingDayHoldsAgainstTheBaseCalendar() throws {
        let base = exception("2026-05-04", "2026-05-08", "Week")
        let own = exception("2026-05-06", "2026-05-06", "W", work) + exception("2026-05-08", "2026-05-08", "Mine")
        let plan = try PlanFixture.plan(
            settings: "<CalendarUID>2</CalendarUID>",
            calendars: """
                <Calendars><Calendar><UID>1</UID><IsBaseCalendar>1</IsBaseCalendar><Exceptions>\(base)</Exceptions>
                </Calendar>
                <Calendar><UID>2</UID><IsBaseCalendar>0</IsBaseCalendar><BaseCalendarUID>1</BaseCalendarUID>
                <Exceptions>\(own)</Exceptions></Calendar></Calendars>
                """)
        #expect(
            plan.exceptionTexts == [
                "2026-05-04 2026-05-05 Week", "2026-05-07 2026-05-08 Week", "2026-05-08 2026-05-08 Mine",
            ])
    }

    @Test func theEndOfADayIsTheDay() throws {
        let exception = """
            <Exception><TimePeriod><FromDate>2026-05-01T00:00:00</FromDate><ToDate>2026-05-02T24:00:00</ToDate>
            </TimePeriod><Name>X</Name></Exception>
            """
        #expect(try texts(exception) == ["2026-05-01 2026-05-02 X"])
    }

    @Test(arguments: [
        // Yearly by day; 29 February only in leap years.
        (
            "2026-01-01", "2028-12-31", "<Type>2</Type><Month>0</Month><MonthDay>1</MonthDay>",
            ["2026-01-01", "2027-01-01", "2028-01-01"]
        ),
        (
            "2026-01-01", "2032-12-31", "<Type>2</Type><Month>1</Month><MonthDay>29</MonthDay>",
            ["2028-02-29", "2032-02-29"]
        ),
        // Yearly by position: Thanksgiving, and the last Monday in May.
        (
            "2025-11-01", "2026-12-31",
            "<Type>3</Type><Month>10</Month><MonthItem>7</MonthItem><MonthPosition>3</MonthPosition>",
            ["2025-11-27", "2026-11-26"]
        ),
        (
            "2026-01-01", "2026-12-31",
            "<Type>3</Type><Month>4</Month><MonthItem>4</MonthItem><MonthPosition>4</MonthPosition>", ["2026-05-25"]
        ),
        // Monthly by day, every second month; by position, the first weekday and the last weekend day.
        (
            "2026-01-10", "2026-06-30", "<Type>4</Type><MonthDay>15</MonthDay><Period>2</Period>",
            ["2026-01-15", "2026-03-15", "2026-05-15"]
        ),
        ("2026-01-01", "2026-04-30", "<Type>4</Type><MonthDay>31</MonthDay>", ["2026-01-31", "2026-03-31"]),
        (
            "2026-08-01", "2026-09-30", "<Type>5</Type><MonthItem>1</MonthItem><MonthPosition>0</MonthPosition>",
            ["2026-08-03", "2026-09-01"]
        ),
        (
            "2026-08-01", "2026-08-31", "<Type>5</Type><MonthItem>2</MonthItem><MonthPosition>4</MonthPosition>",
            ["2026-08-30"]
        ),
        (
            "2026-08-01", "2026-08-31", "<Type>5</Type><MonthItem>0</MonthItem><MonthPosition>1</MonthPosition>",
            ["2026-08-02"]
        ),
        // Weekly, every second week; days are bits from Sunday (1) to Saturday (64).
        (
            "2026-01-01", "2026-01-16", "<Type>6</Type><DaysOfWeek>34</DaysOfWeek>",
            ["2026-01-02", "2026-01-05", "2026-01-09", "2026-01-12", "2026-01-16"]
        ),
        (
            "2026-01-01", "2026-01-31", "<Type>6</Type><DaysOfWeek>32</DaysOfWeek><Period>2</Period>",
            ["2026-01-02", "2026-01-16", "2026-01-30"]
        ),
        // Every third day, in both notations; every second weekday.
        ("2026-01-01", "2026-01-08", "<Type>7</Type><Period>3</Period>", ["2026-01-01", "2026-01-04", "2026-01-07"]),
        ("2026-01-01", "2026-01-08", "<Type>1</Type><Period>3</Period>", ["2026-01-01", "2026-01-04", "2026-01-07"]),
        ("2026-01-01", "2026-01-08", "<Type>8</Type><Period>2</Period>", ["2026-01-01", "2026-01-05", "2026-01-07"]),
        // Ends after a number of occurrences.
        (
            "2026-01-01", "2026-12-31",
            """
            <Type>7</Type><Period>9</Period><EnteredByOccurrences>1</EnteredByOccurrences>\
            <Occurrences>2</Occurrences>
            """,
            ["2026-01-01", "2026-01-10"]
        ),
        (
            "2026-01-01", "2026-01-20",
            """
            <Type>7</Type><Period>9</Period><EnteredByOccurrences>0</EnteredByOccurrences>\
            <Occurrences>2</Occurrences>
            """,
            ["2026-01-01", "2026-01-10", "2026-01-19"]
        ),
    ])
    func recurringExceptionsAreWrittenOut(from: String, to: String, fields: String, days: [String]) throws {
        #expect(try texts(exception(from, to, "X", fields)) == days.map { "\($0) \($0) X" })
    }

    @Test(arguments: [
        "<Type>1</Type>", "<Type>1</Type><Period>1</Period><Occurrences>1</Occurrences>", "<Type>9</Type>",
    ])
    func exceptionsThatDoNotRecurAreOneRange(fields: String) throws {
        #expect(try texts(exception("2026-01-01", "2026-01-09", "X", fields)) == ["2026-01-01 2026-01-09 X"])
    }

    @Test func theWeekStartDecidesWhichWeeksAreEverySecond() throws {
        // Every second week from a Thursday: the Sunday after it belongs
        // to the next week or to the same one, by the week's start.
        let sundays = exception(
            "2026-01-01", "2026-01-20", "X", "<Type>6</Type><DaysOfWeek>1</DaysOfWeek><Period>2</Period>")
        #expect(try texts(sundays) == ["2026-01-11 2026-01-11 X"])
        let monday = "<WeekStartDay>1</WeekStartDay>"
        #expect(try texts(sundays, settings: monday) == ["2026-01-04 2026-01-04 X", "2026-01-18 2026-01-18 X"])
    }

    @Test func recurringDaysInARowAreOneRange() throws {
        let weekends = exception("2026-01-01", "2026-01-11", "X", "<Type>6</Type><DaysOfWeek>65</DaysOfWeek>")
        #expect(try texts(weekends) == ["2026-01-03 2026-01-04 X", "2026-01-10 2026-01-11 X"])
    }

    @Test func endlessExceptionsStopAndAreListed() throws {
        let endless = exception("2026-01-01", "9999-12-31", "X", "<Type>6</Type><DaysOfWeek>1</DaysOfWeek>")
        let plan = try plan("<Exceptions>\(endless)</Exceptions>")
        #expect(plan.exceptionTexts.count == 1000)
        #expect(
            plan.notImported == [
                "calendar exception \"X\" after its first hundred years",
                "4218 calendar exceptions after the first 1000",
            ])
    }

    @Test(arguments: 2...8, ["99", "-7", "9223372036854775807", "-9223372036854775808"])
    func nonsenseInAPatternDoesNoHarm(type: Int, number: String) throws {
        let names = ["Month", "MonthDay", "MonthItem", "MonthPosition", "Period", "DaysOfWeek", "Occurrences"]
        let fields = names.map { "<\($0)>\(number)</\($0)>" }.joined()
        let exception = exception(
            "0001-01-01", "9999-12-31", "X",
            "<Type>\(type)</Type><EnteredByOccurrences>1</EnteredByOccurrences>\(fields)")
        let texts = try texts(exception, settings: "<WeekStartDay>\(number)</WeekStartDay>")
        #expect(texts.count <= 1000)
        if (2...5).contains(type) { #expect(texts == []) }
    }

    @Test func exceptionsOfTheBaseCalendarHold() throws {
        let base =
            "<Calendar><UID>1</UID><IsBaseCalendar>1</IsBaseCalendar><Exceptions>"
            + exception("2026-05-01", "2026-05-01", "May") + "</Exceptions></Calendar>"
        let own =
            "<Calendar><UID>2</UID><IsBaseCalendar>0</IsBaseCalendar><BaseCalendarUID>1</BaseCalendarUID></Calendar>"
        let plan = try PlanFixture.plan(
            settings: "<CalendarUID>2</CalendarUID>", calendars: "<Calendars>\(base)\(own)</Calendars>")
        #expect(plan.exceptionTexts == ["2026-05-01 2026-05-01 May"])
    }
}
