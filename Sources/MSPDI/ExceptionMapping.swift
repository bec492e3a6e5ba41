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
