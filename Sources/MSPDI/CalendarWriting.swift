import SyncProtocol

/// Writes the calendars, the project's first.
struct CalendarWriting {
    static let projectUID = 1

    let time: WrittenTime
    let workingDays: Int64

    private let rows: [[String: JSON]]
    private let losses: Losses

    init(_ rows: [[String: JSON]], of project: [String: JSON], losses: Losses) {
        let own = rows.first { $0["id"] == project["calendar"] } ?? [:]
        self.losses = losses
        self.rows = [own] + rows.filter { $0["id"] != own["id"] }
        workingDays = own["working_days"]?.int ?? 31
        time = WrittenTime(minutesPerDay: CalendarWriting.minutes(own))
    }

    func write(to xml: XMLWriter) {
        listOthers()
        xml.add("Calendars") {
            for (index, row) in rows.enumerated() {
                write(row, uid: CalendarWriting.projectUID + index, to: xml)
            }
        }
    }

    private static func hours(_ row: [String: JSON]) -> Double { row["hours_per_day"]?.number ?? 8 }

    private static func minutes(_ row: [String: JSON]) -> Int {
        min(max(1, Int((hours(row) * 60).rounded())), 1440)
    }

    private func listOthers() {
        losses.add(
            "calendars", "not the project's: written, but an import reads only the project's", rows: rows.count - 1)
        for row in rows where Double(CalendarWriting.minutes(row)) / 60 != CalendarWriting.hours(row) {
            losses.add("calendars.hours_per_day", "rounded to whole minutes")
        }
    }

    private func write(_ row: [String: JSON], uid: Int, to xml: XMLWriter) {
        let name = losses.held(row["name"]?.string ?? "Standard", of: "calendars.name")
        if name.trimmed.isEmpty { losses.add("calendars.name", "is empty: an import uses \"Standard\"") }
        xml.add("Calendar") {
            xml.add("UID", uid)
            xml.add("Name", name)
            xml.add("IsBaseCalendar", true)
            xml.add("BaseCalendarUID", -1)
            writeWeek(row, to: xml)
            writeExceptions(row, to: xml)
        }
    }

    private func writeWeek(_ row: [String: JSON], to xml: XMLWriter) {
        let mask = row["working_days"]?.int ?? 31
        let time = WrittenTime(minutesPerDay: CalendarWriting.minutes(row))
        xml.add("WeekDays") {
            for type in 1...7 {
                // `DayType` starts with Sunday as 1; the mask starts with Monday.
                let isWorking = mask & 1 << Int64((type + 5) % 7) != 0
                xml.add("WeekDay") {
                    xml.add("DayType", type)
                    xml.add("DayWorking", isWorking)
                    if isWorking { writeHours(time, to: xml) }
                }
            }
        }
    }

    private func writeHours(_ time: WrittenTime, to xml: XMLWriter) {
        xml.add("WorkingTimes") {
            for span in time.spans {
                xml.add("WorkingTime") {
                    xml.add("FromTime", WrittenTime.clock(span.lowerBound))
                    xml.add("ToTime", WrittenTime.clock(span.upperBound))
                }
            }
        }
    }
}

// Exceptions.
extension CalendarWriting {
    private func writeExceptions(_ row: [String: JSON], to xml: XMLWriter) {
        let exceptions = row["exceptions"]?.array ?? []
        let named = exceptions.map { exception in
            let text = exception["description"]?.string ?? ""
            return exception.merging("description", losses.held(text, of: "calendars.exceptions"))
        }
        if JSON.array(named) != ExceptionMapping.canonical(named) {
            losses.add(
                "calendars.exceptions",
                "written in the form that an import reads: in order, adjacent ones with the same name joined, without "
                    + "those that end before they start, and at most \(ExceptionMapping.most)")
        } else if JSON.array(exceptions) != .array(named) {
            losses.add("calendars.exceptions", "one without a description gets an empty one")
        }
        let ranges = named.compactMap(ExceptionMapping.Range.init)
        guard !ranges.isEmpty else { return }
        xml.add("Exceptions") { for range in ranges { write(range, to: xml) } }
    }

    private func write(_ range: ExceptionMapping.Range, to xml: XMLWriter) {
        xml.add("Exception") {
            xml.add("EnteredByOccurrences", false)
            xml.add("TimePeriod") {
                xml.add("FromDate", CalendarDate(daysSinceEpoch: range.first).text + "T00:00:00")
                xml.add("ToDate", CalendarDate(daysSinceEpoch: range.last).text + "T23:59:00")
            }
            xml.add("Occurrences", range.last - range.first + 1)
            xml.add("Name", range.name)
            xml.add("Type", 1)
            xml.add("DayWorking", false)
        }
    }
}

extension JSON {
    fileprivate func merging(_ name: String, _ text: String) -> JSON {
        .object((object ?? [:]).merging([name: .string(text)]) { _, new in new })
    }
}

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
        let dawn = 8 * 60
        let morning = 4 * 60
        let hour = 60
        let midnight = 24 * 60
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
