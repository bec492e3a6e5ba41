/// One `Calendar` of the file.
struct PlanCalendar {
    var uid: Int?
    var name: String
    var isBase: Bool
    var baseUID: Int?
    /// Which days of the week are working days, by `DayType`: 1 Sunday to 7 Saturday. Missing ones are inherited.
    var weekDays: [Int: Bool]
    var exceptions: [PlanException]
    /// The number of working days whose hours are not Project's usual ones.
    var unusualHours: Int

    init(_ fields: Fields) {
        uid = fields.listedUID("UID")
        name = fields.text("Name") ?? ""
        baseUID = fields.listedUID("BaseCalendarUID").flatMap { $0 >= 0 ? $0 : nil }
        isBase = fields.flag("IsBaseCalendar") ?? (baseUID == nil)
        let days = fields.record.all("WeekDay", in: "WeekDays").map { (fields.part($0, .weekday), $0) }
        weekDays = [:]
        unusualHours = 0
        for (day, element) in days {
            day.tallyOmitted()
            guard let type = day.integer("DayType"), (1...7).contains(type) else { continue }
            weekDays[type] = day.isWorking
            if day.isWorking, !PlanCalendar.hasUsualHours(element) { unusualHours += 1 }
        }
        let current = fields.record.all("Exception", in: "Exceptions")
        // Project 2003 wrote exceptions as days of type 0. Later versions write both forms.
        let old = days.filter { $0.0.integer("DayType") == 0 }.map(\.1)
        exceptions = (current.isEmpty ? old : current).map { PlanException(fields.part($0, .exception)) }
        fields.tallyOmitted()
    }

    private static let usualHours = ["08:00:00-12:00:00", "13:00:00-17:00:00"]

    /// Whether a working day has Project's usual hours, as a day has that gives none.
    static func hasUsualHours(_ day: PlanElement) -> Bool {
        let times = day.all("WorkingTime", in: "WorkingTimes").filter { $0["FromTime"] != nil }
        return times.isEmpty || times.map { "\($0["FromTime"] ?? "")-\($0["ToTime"] ?? "")" } == usualHours
    }
}

extension Fields {
    /// Whether a day or an exception is working time.
    var isWorking: Bool { flag("DayWorking") ?? !record.all("WorkingTime", in: "WorkingTimes").isEmpty }

    /// A number limited to -1 … 99, so calculations can't overflow.
    func index(_ name: String) -> Int? { integer(name).map { min(max($0, -1), 99) } }
}

/// One exception of a calendar, in either of its two forms.
/// https://learn.microsoft.com/en-us/office-project/xml-data-interchange/exception-element
struct PlanException {
    var name: String
    var from, to: PlanMoment?
    var isWorking: Bool
    /// Whether the hours of a working exception are those of any other working day.
    var hasUsualHours: Bool
    /// 1 daily, 2 yearly by day, 3 yearly by position, 4 monthly by day, 5 monthly by position, 6 weekly, 7 every n
    /// days, 8 every n weekdays, 9 and missing: does not recur.
    var type: Int
    var period: Int
    /// A bit mask: Sunday 1 to Saturday 64.
    var daysOfWeek: Int
    /// 0 day, 1 weekday, 2 weekend day, 3 Sunday to 9 Saturday.
    var monthItem: Int
    /// 0 first to 3 fourth, 4 last.
    var monthPosition: Int
    /// 0 January to 11 December.
    var month: Int
    var monthDay: Int
    /// Nil when the end is given as a date.
    var occurrences: Int?

    init(_ fields: Fields) {
        name = fields.text("Name") ?? ""
        let period = fields.record.all("TimePeriod").first.map { fields.part($0, .exception) }
        from = period?.moment("FromDate")?.asStart
        to = period?.moment("ToDate")
        isWorking = fields.isWorking
        hasUsualHours = PlanCalendar.hasUsualHours(fields.record)
        type = fields.integer("Type") ?? 9
        self.period = max(1, fields.integer("Period") ?? 1)
        daysOfWeek = fields.integer("DaysOfWeek") ?? 0
        monthItem = fields.index("MonthItem") ?? 0
        monthPosition = fields.index("MonthPosition") ?? 0
        month = fields.index("Month") ?? 0
        monthDay = fields.index("MonthDay") ?? 1
        occurrences = fields.flag("EnteredByOccurrences") == true ? fields.integer("Occurrences") : nil
        fields.tallyOmitted()
    }

    /// Whether it is more than one range of days.
    var recurs: Bool { (2...8).contains(type) || (type == 1 && period > 1) }
}
