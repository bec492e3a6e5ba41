import SyncProtocol

/// A date of a plan, with a time of day if it has one. Plans have no time zones.
struct PlanMoment: Hashable, Comparable {
    var date: CalendarDate
    var time: TimeOfDay?

    /// Reads `YYYY-MM-DD`, alone or followed by `THH:MM:SS` and any fraction or offset. Nil for anything else.
    init?(_ text: String) {
        guard let date = CalendarDate(text.prefix(10)) else { return nil }
        self.date = date
        let rest = text.dropFirst(10)
        guard let separator = rest.first else { return }
        guard separator == "T" || separator == " ", let time = TimeOfDay(String(rest.dropFirst().prefix(8))) else {
            return nil
        }
        self.time = time
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.date.daysSinceEpoch, left.time?.seconds ?? 0) < (right.date.daysSinceEpoch, right.time?.seconds ?? 0)
    }
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
