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
