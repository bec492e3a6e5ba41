import SyncProtocol

/// Converts days to a plan's units: minutes of work, and dates with the hours at which a working day begins and ends.
struct WrittenTime {
    /// The `DurationFormat` and `LagFormat` of days.
    static let dayFormat = 7

    let minutesPerDay: Int
    /// The spans of a working day, in minutes since midnight. There is an hour's break after
    /// four hours if there is room for it.
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

    /// The end of the working day. A day without free time ends a minute early, since not every reader
    /// takes midnight as the end of the day before.
    func finish(_ date: CalendarDate) -> String {
        let end = min(spans[spans.count - 1].upperBound, 24 * 60 - 1)
        return "\(date.text)T\(WrittenTime.clock(end))"
    }

    /// The text of a duration of work.
    func span(days: Int) -> String {
        let minutes = days * minutesPerDay
        return "PT\(minutes / 60)H\(minutes % 60)M0S"
    }

    /// Tenths of a minute of work, the unit of lags and slacks.
    func tenths(days: Int) -> Int { days * minutesPerDay * 10 }

    /// The time of day. Midnight at either end of a day is 00:00:00.
    static func clock(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minutes / 60 % 24)):\(two(minutes % 60)):00"
    }
}
