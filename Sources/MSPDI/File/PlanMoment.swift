import SyncProtocol

/// A date of a plan, with a time of day if it has one. Plans have no time zones.
///
/// Midnight is where one day ends and another begins, so the day of a moment depends on what happens then: see
/// `asStart` and `lastDay`.
struct PlanMoment: Hashable, Comparable {
    var date: CalendarDate
    var time: TimeOfDay?
    /// Whether it is the end of `date`, which is written as 24:00:00. It has no time then.
    private(set) var isEndOfDay = false

    /// Reads `YYYY-MM-DD`, alone or followed by `THH:MM:SS` and any fraction or offset. Nil for anything else.
    init?(_ text: String) {
        guard let date = CalendarDate(text.prefix(10)) else { return nil }
        self.date = date
        let rest = text.dropFirst(10)
        guard let separator = rest.first else { return }
        let clock = String(rest.dropFirst().prefix(8))
        guard separator == "T" || separator == " " else { return nil }
        if clock == "24:00:00" {
            isEndOfDay = true
            return
        }
        guard let time = TimeOfDay(clock) else { return nil }
        self.time = time
    }

    /// The moment as the start of something: the end of a day is the beginning of the next one.
    var asStart: PlanMoment {
        let next = CalendarDate(daysSinceEpoch: date.daysSinceEpoch + 1)
        guard isEndOfDay, next.isWritable else { return self }
        var start = self
        start.date = next
        start.time = TimeOfDay("00:00:00")
        start.isEndOfDay = false
        return start
    }

    /// The last day of something that ends at this moment and begins at `start`. What ends at midnight ends with the
    /// day before, unless it began no earlier.
    func lastDay(from start: PlanMoment?) -> CalendarDate {
        let before = CalendarDate(daysSinceEpoch: date.daysSinceEpoch - 1)
        guard time?.seconds == 0, before.isWritable, start.map({ $0 < self }) ?? true else { return date }
        return before
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.date.daysSinceEpoch, left.seconds) < (right.date.daysSinceEpoch, right.seconds)
    }

    /// Since the beginning of `date`.
    private var seconds: Int { isEndOfDay ? 86_400 : time?.seconds ?? 0 }
}

extension CalendarDate {
    /// 0 for Monday to 6 for Sunday.
    var weekday: Int { (daysSinceEpoch % 7 + 10) % 7 }

    /// The last day of a month; nil outside the years 0001 to 9999.
    static func last(ofMonth month: Int, of year: Int) -> CalendarDate? {
        (28...31).reversed().lazy.compactMap { CalendarDate(year: year, month: month, day: $0) }.first
    }

    /// Whether the date lies in the years 0001 to 9999.
    var isWritable: Bool { (1...9999).contains(civil.year) }
}
