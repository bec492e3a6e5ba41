import SyncProtocol

/// The exceptions of the calendar as ranges of days off, in order. Adjacent ranges with the same name are joined.
///
/// Where two exceptions meet, that of the nearer calendar holds, and in one calendar the one that does not recur. So a
/// working exception inside a recurring day off, or a day off of the base calendar, takes its days out of it.
struct ExceptionMapping {
    static let most = 1000
    /// After this many ranges, further ones can't matter once they are joined.
    private static let enough = 100_000

    let weekStart: Int
    /// The calendar's working days: Monday is the lowest bit.
    let workingDays: Int64
    let omissions: Omissions

    struct Range {
        var first: Int
        var last: Int
        var name: String
    }

    /// An exception with its days.
    private struct Part {
        let exception: PlanException
        let ranges: [Range]
    }

    /// `chain` has the exceptions of each calendar, the nearest calendar first.
    func json(_ chain: [[PlanException]]) -> JSON {
        var daysOff: [Range] = []
        var working = DaySpans()
        for exceptions in chain {
            let parts = self.parts(exceptions, upTo: ExceptionMapping.enough - daysOff.count)
            for recurs in [false, true] {
                let rank = parts.filter { $0.exception.recurs == recurs }
                daysOff += ExceptionMapping.daysOff(rank, except: working)
                working.add(rank.filter(\.exception.isWorking).flatMap(\.ranges).map { $0.first...$0.last })
            }
        }
        let joined = ExceptionMapping.joined(daysOff)
        if joined.count > ExceptionMapping.most {
            let number = joined.count - ExceptionMapping.most
            omissions.add("\(counted(number, "calendar exception")) after the first \(ExceptionMapping.most)")
        }
        return .array(joined.prefix(ExceptionMapping.most).map(ExceptionMapping.json))
    }

    private func parts(_ exceptions: [PlanException], upTo limit: Int) -> [Part] {
        var parts: [Part] = []
        var count = 0
        for exception in exceptions where count < limit {
            let ranges = self.ranges(exception)
            if exception.isWorking, !ranges.isEmpty { listWorking(exception, ranges) }
            parts.append(Part(exception: exception, ranges: ranges))
            count += ranges.count
        }
        return parts
    }

    private static func daysOff(_ parts: [Part], except working: DaySpans) -> [Range] {
        var days: [Range] = []
        for range in parts.filter({ !$0.exception.isWorking }).flatMap(\.ranges) where days.count < enough {
            days += working.gaps(in: range.first...range.last).map {
                Range(first: $0.lowerBound, last: $0.upperBound, name: range.name)
            }
        }
        return days
    }

    /// Lists a working exception that says more than "this is no day off".
    private func listWorking(_ exception: PlanException, _ ranges: [Range]) {
        let isPlain = ranges.allSatisfy { hasOnlyWorkingDays($0.first...$0.last) }
        guard !exception.hasUsualHours || !isPlain, let first = exception.from?.date else { return }
        let dates = "\(first.text) to \((exception.to?.date ?? first).text)"
        omissions.add("working days \"\(exception.name)\" of the calendar, \(dates)", kind: "working exception")
    }

    private func hasOnlyWorkingDays(_ span: ClosedRange<Int>) -> Bool {
        span.prefix(7).allSatisfy { workingDays & 1 << Int64(CalendarDate(daysSinceEpoch: $0).weekday) != 0 }
    }

    private func ranges(_ exception: PlanException) -> [Range] {
        guard let first = exception.from?.date, let last = (exception.to ?? exception.from)?.date,
            first.daysSinceEpoch <= last.daysSinceEpoch
        else {
            omissions.add("calendar exception \"\(exception.name)\", which has no dates", kind: "calendar exception")
            return []
        }
        let name = Texts(omissions).cut(exception.name, to: 255, of: "calendar exception", "name")
        guard let days = RecurringDays(exception, from: first, to: last, weekStart: weekStart) else {
            return [Range(first: first.daysSinceEpoch, last: last.daysSinceEpoch, name: name)]
        }
        if days.isCut { omissions.add("calendar exception \"\(exception.name)\" after its first hundred years") }
        return days.days().map { Range(first: $0, last: $0, name: name) }
    }

    private static func joined(_ ranges: [Range]) -> [Range] {
        var joined: [Range] = []
        var latest: [String: Int] = [:]
        for range in ranges.sorted(by: isBefore) {
            if let index = latest[range.name], range.first <= joined[index].last + 1 {
                joined[index].last = max(joined[index].last, range.last)
            } else {
                latest[range.name] = joined.count
                joined.append(range)
            }
        }
        // A range that has grown may belong behind others that begin on the same day.
        return joined.sorted(by: isBefore)
    }

    private static func isBefore(_ one: Range, _ other: Range) -> Bool {
        (one.first, one.last, one.name) < (other.first, other.last, other.name)
    }

    /// The exceptions that an import would create if a plan had these.
    static func canonical(_ exceptions: [JSON]) -> JSON {
        .array(joined(exceptions.compactMap(Range.init)).prefix(most).map(json))
    }

    private static func json(_ range: Range) -> JSON {
        [
            "exc_start": .string(CalendarDate(daysSinceEpoch: range.first).text),
            "exc_end": .string(CalendarDate(daysSinceEpoch: range.last).text),
            "description": .string(range.name),
        ]
    }
}

extension ExceptionMapping.Range {
    /// Nil when the range ends before it starts.
    init?(_ json: JSON) {
        guard let first = json["exc_start"]?.string.flatMap({ CalendarDate($0) }),
            let last = json["exc_end"]?.string.flatMap({ CalendarDate($0) }),
            first.daysSinceEpoch <= last.daysSinceEpoch
        else { return nil }
        self.init(
            first: first.daysSinceEpoch, last: last.daysSinceEpoch, name: json["description"]?.string?.trimmed ?? "")
    }
}

/// Days, as spans without overlap, in order.
private struct DaySpans {
    private var spans: [ClosedRange<Int>] = []

    mutating func add(_ more: [ClosedRange<Int>]) {
        let all = (spans + more).sorted { $0.lowerBound < $1.lowerBound }
        spans = all.reduce(into: []) { joined, span in
            guard let last = joined.last, span.lowerBound <= last.upperBound + 1 else { return joined.append(span) }
            joined[joined.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
        }
    }

    /// The parts of `span` that have none of the days.
    func gaps(in span: ClosedRange<Int>) -> [ClosedRange<Int>] {
        var gaps: [ClosedRange<Int>] = []
        var next = span.lowerBound
        var index = firstSpan(endingFrom: next)
        while index < spans.count, spans[index].lowerBound <= span.upperBound {
            if next < spans[index].lowerBound { gaps.append(next...spans[index].lowerBound - 1) }
            next = spans[index].upperBound + 1
            index += 1
        }
        if next <= span.upperBound { gaps.append(next...span.upperBound) }
        return gaps
    }

    /// The index of the first span that ends on `day` or later.
    private func firstSpan(endingFrom day: Int) -> Int {
        var range = spans.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = spans[middle].upperBound < day ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

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
