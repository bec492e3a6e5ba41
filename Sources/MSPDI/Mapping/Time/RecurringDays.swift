import SyncProtocol

/// The days of a recurring calendar exception.
struct RecurringDays {
    private static let hundredYears = 36_525

    /// Whether days were left out because the exception recurs for more than a hundred years.
    let isCut: Bool

    private let exception: PlanException
    private let from: CalendarDate
    private let last: Int
    private let weekStart: Int

    /// Nil when the exception does not recur and is one range of days.
    init?(_ exception: PlanException, from: CalendarDate, to: CalendarDate, weekStart: Int) {
        guard exception.recurs else { return nil }
        self.exception = exception
        self.from = from
        self.weekStart = weekStart
        last = min(to.daysSinceEpoch, from.daysSinceEpoch + RecurringDays.hundredYears)
        isCut = last < to.daysSinceEpoch
    }

    /// The days, as numbers of days since 1970-01-01, ascending.
    func days() -> [Int] {
        let days = candidates().filter { (from.daysSinceEpoch...last).contains($0) }
        return exception.occurrences.map { Array(days.prefix(max(0, $0))) } ?? days
    }

    private func candidates() -> [Int] {
        let first = from.daysSinceEpoch
        switch exception.type {
        case 2: return years.compactMap { day(exception.monthDay, of: $0, exception.month + 1) }
        case 3: return years.compactMap { positioned($0, exception.month + 1) }
        case 4: return months.compactMap { day(exception.monthDay, of: $0, $1) }
        case 5: return months.compactMap { positioned($0, $1) }
        case 6: return (first...last).filter(isInWeeklyPattern)
        case 8:
            let weekdays = (first...last).filter { CalendarDate(daysSinceEpoch: $0).weekday < 5 }
            return stride(from: 0, to: weekdays.count, by: step).map { weekdays[$0] }
        default: return Array(stride(from: first, through: last, by: step))
        }
    }

    /// The period, limited to what can matter.
    private var step: Int { min(exception.period, RecurringDays.hundredYears) }

    private var years: ClosedRange<Int> { from.civil.year...CalendarDate(daysSinceEpoch: last).civil.year }

    /// Every `period`th month, starting with the month of the first day.
    private var months: [(year: Int, month: Int)] {
        let end = CalendarDate(daysSinceEpoch: last).civil
        let start = from.civil
        return stride(from: start.year * 12 + start.month - 1, through: end.year * 12 + end.month - 1, by: step)
            .map { ($0 / 12, $0 % 12 + 1) }
    }

    private func day(_ day: Int, of year: Int, _ month: Int) -> Int? {
        CalendarDate(year: year, month: month, day: day)?.daysSinceEpoch
    }

    private func isInWeeklyPattern(_ day: Int) -> Bool {
        let fromSunday = (CalendarDate(daysSinceEpoch: day).weekday + 1) % 7
        return exception.daysOfWeek & (1 << fromSunday) != 0 && (week(day) - week(from.daysSinceEpoch)) % step == 0
    }

    /// The number of the week; 1969-12-28 was a Sunday. `weekStart` counts from Sunday 0.
    private func week(_ day: Int) -> Int {
        let shifted = day + 4 - weekStart
        return (shifted - (shifted % 7 + 7) % 7) / 7
    }

    /// A day given by its position, such as the fourth Thursday or the last weekday of a month.
    private func positioned(_ year: Int, _ month: Int) -> Int? {
        guard let end = CalendarDate.last(ofMonth: month, of: year) else { return nil }
        let days = (end.daysSinceEpoch - end.civil.day + 1...end.daysSinceEpoch).filter(isMonthItem)
        let position = exception.monthPosition
        return position == 4 ? days.last : days.indices.contains(position) ? days[position] : nil
    }

    private func isMonthItem(_ day: Int) -> Bool {
        let weekday = CalendarDate(daysSinceEpoch: day).weekday
        switch exception.monthItem {
        case 0: return true
        case 1: return weekday < 5
        case 2: return weekday >= 5
        default: return (weekday + 1) % 7 == exception.monthItem - 3
        }
    }
}
