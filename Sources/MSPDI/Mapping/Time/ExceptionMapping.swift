import SyncProtocol

/// The exceptions of the calendar as ranges of days off, in order. Adjacent ranges with the same name are joined.
struct ExceptionMapping {
    static let most = 1000
    /// After this many ranges, further ones can't matter once they are joined.
    private static let enough = 100_000

    let weekStart: Int
    let omissions: Omissions

    struct Range {
        var first: Int
        var last: Int
        var name: String
    }

    func json(_ exceptions: [PlanException]) -> JSON {
        var ranges: [Range] = []
        for exception in exceptions where ranges.count < ExceptionMapping.enough { ranges += self.ranges(exception) }
        let joined = ExceptionMapping.joined(ranges)
        if joined.count > ExceptionMapping.most {
            let number = joined.count - ExceptionMapping.most
            omissions.add("\(counted(number, "calendar exception")) after the first \(ExceptionMapping.most)")
        }
        return .array(joined.prefix(ExceptionMapping.most).map(ExceptionMapping.json))
    }

    private func ranges(_ exception: PlanException) -> [Range] {
        guard let first = exception.from?.date, let last = (exception.to ?? exception.from)?.date,
            first.daysSinceEpoch <= last.daysSinceEpoch
        else {
            omissions.add("calendar exception \"\(exception.name)\", which has no dates", kind: "calendar exception")
            return []
        }
        if exception.isWorking {
            let dates = "\(first.text) to \(last.text)"
            omissions.add("working days \"\(exception.name)\" of the calendar, \(dates)", kind: "working exception")
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
        for range in ranges.sorted(by: { ($0.first, $0.last) < ($1.first, $1.last) }) {
            if let index = latest[range.name], range.first <= joined[index].last + 1 {
                joined[index].last = max(joined[index].last, range.last)
            } else {
                latest[range.name] = joined.count
                joined.append(range)
            }
        }
        return joined
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
