import SyncProtocol

/// How a plan says days: as minutes of work, and dates with the hours at which a day's work begins and ends.
struct WrittenTime {
    /// The `DurationFormat` and `LagFormat` of days.
    static let dayFormat = 7

    let minutesPerDay: Int
    /// The spans of a day's work, in minutes since midnight: with an hour's break after four hours where there is room.
    let spans: [ClosedRange<Int>]

    init(minutesPerDay: Int) {
        self.minutesPerDay = minutesPerDay
        let (dawn, morning, hour, midnight) = (8 * 60, 4 * 60, 60, 24 * 60)
        guard minutesPerDay > morning, minutesPerDay + hour <= midnight else {
            let start = min(dawn, midnight - minutesPerDay)
            spans = [start...start + minutesPerDay]
            return
        }
        let start = min(dawn, midnight - minutesPerDay - hour)
        spans = [start...start + morning, start + morning + hour...start + minutesPerDay + hour]
    }

    var first: String { WrittenTime.clock(spans[0].lowerBound) }
    var last: String { WrittenTime.clock(spans[spans.count - 1].upperBound) }

    func start(_ date: CalendarDate) -> String { "\(date.text)T\(first)" }

    /// A day that is worked through ends a minute early, since a time at midnight is the next day's.
    func finish(_ date: CalendarDate) -> String {
        let end = min(spans[spans.count - 1].upperBound, 24 * 60 - 1)
        return "\(date.text)T\(WrittenTime.clock(end))"
    }

    /// As a duration of work.
    func span(days: Int) -> String {
        let minutes = days * minutesPerDay
        return "PT\(minutes / 60)H\(minutes % 60)M0S"
    }

    /// As lags and slacks are written.
    func tenths(days: Int) -> Int { days * minutesPerDay * 10 }

    /// Midnight at either end is 00:00:00.
    static func clock(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60 % 24)):\(two(minutes % 60)):00"
    }
}
