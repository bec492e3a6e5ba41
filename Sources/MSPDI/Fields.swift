import SyncProtocol

/// The typed fields of one record. A value that can't be read counts as missing and is listed in `omissions`.
struct Fields {
    let record: PlanElement
    let kind: RecordKind
    let omissions: Omissions

    init(_ record: PlanElement, kind: RecordKind, omissions: Omissions) {
        self.record = record
        self.kind = kind
        self.omissions = omissions
    }

    /// The record's name in lists.
    var noun: String { kind.rawValue }

    /// The fields of a part of the record, such as a link of a task.
    func part(_ element: PlanElement, _ kind: RecordKind) -> Fields {
        Fields(element, kind: kind, omissions: omissions)
    }

    func text(_ name: String) -> String? { record[name] }

    func integer(_ name: String) -> Int? {
        read(name) { text in Int(text) ?? Double(text).flatMap { Int(exactly: $0.rounded()) } }
    }

    /// A UID, which is a whole number. Nil for anything else, and then nothing is listed.
    func uid(_ name: String) -> Int? { text(name).flatMap { Int($0) ?? Double($0).flatMap(Int.init(exactly:)) } }

    /// As `uid`, but anything else is listed as unreadable.
    func listedUID(_ name: String) -> Int? {
        let uid = uid(name)
        if uid == nil, text(name) != nil { omissions.count("unreadable \(name) of", noun) }
        return uid
    }

    func number(_ name: String) -> Double? { read(name) { text in Double(text).flatMap { $0.isFinite ? $0 : nil } } }

    func flag(_ name: String) -> Bool? {
        read(name) { text in
            switch text.lowercased() {
            case "1", "true": true
            case "0", "false": false
            default: nil
            }
        }
    }

    func moment(_ name: String) -> PlanMoment? { read(name, PlanMoment.init) }

    /// Nil for "NA", which Project writes for a date or duration that is not set.
    private func read<Value>(_ name: String, _ parse: (String) -> Value?) -> Value? {
        guard let text = record[name], text != "NA" else { return nil }
        let value = parse(text)
        if value == nil { omissions.count("unreadable \(name) of", noun) }
        return value
    }
}

extension Fields {
    /// Lists the fields that hold something and are not imported.
    func tallyOmitted() {
        var seen: Set<String> = []
        let held = kind == .task && startIsConstraint ? RecordKind.startConstraint : []
        for child in record.children
        where Fields.isOmitted(child, of: kind) && !held.contains(child.name) && seen.insert(child.name).inserted {
            switch child.name {
            case "Baseline": omissions.count("baselines of", noun)
            case "TimephasedData": omissions.count("timephased data of", noun)
            default: omissions.count("\(noun) field \(child.name):", noun)
            }
        }
    }

    /// The `ConstraintType` for "start no earlier than `ConstraintDate`".
    static let startNoEarlierThan = 4

    /// Whether the task's constraint only repeats its start, which becomes `planned_start`.
    private var startIsConstraint: Bool {
        guard record["ConstraintType"] == String(Fields.startNoEarlierThan), let start = record["Start"] else {
            return false
        }
        return record["ConstraintDate"].flatMap(PlanMoment.init)?.date == PlanMoment(start)?.date
    }

    static func isOmitted(_ field: PlanElement, of kind: RecordKind) -> Bool {
        switch kind.elements[field.name] {
        case .imported, .needless: false
        case .content: holdsSomething(field)
        case .setting(let value): isWritten(field) && !isSame(field.text.trimmed, value)
        case nil: isWritten(field)
        }
    }

    /// Whether a field has any value, be it 0.
    private static func isWritten(_ field: PlanElement) -> Bool {
        !field.children.isEmpty || !["", "NA"].contains(field.text.trimmed)
    }

    private static func isSame(_ text: String, _ value: String) -> Bool {
        let word = ["0": "false", "1": "true"][value]
        return text == value || text.lowercased() == word || Double(text).map { $0 == Double(value) } ?? false
    }

    /// Whether a field holds more than what Project writes for a field that nobody filled in.
    static func holdsSomething(_ field: PlanElement) -> Bool {
        if !field.children.isEmpty { return true }
        let text = field.text.trimmed
        if ["", "NA", "false"].contains(text) { return false }
        if let number = Double(text) { return number != 0 && number != RecordKind.defaults[field.name] }
        return WorkSpan(text)?.isZero != true
    }
}

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

/// A duration as MSPDI writes it: `PnYnMnDTnHnMnS`. Project itself writes hours, minutes and seconds of
/// work. Other tools also write days.
struct WorkSpan: Equatable {
    var months = 0.0
    var days = 0.0
    var minutes = 0.0

    /// Nil for any other text, including negative durations.
    init?(_ text: String) {
        var rest = Substring(text)
        guard rest.popFirst() == "P" else { return nil }
        var units = "YMD"
        var isAny = false
        while !rest.isEmpty {
            if rest.first == "T", units != "HMS" {
                units = "HMS"
                rest = rest.dropFirst()
            }
            guard let (number, unit) = WorkSpan.component(&rest), units.contains(unit) else { return nil }
            add(number, unit, isTime: units == "HMS")
            isAny = true
        }
        guard isAny else { return nil }
    }

    var isZero: Bool { months == 0 && days == 0 && minutes == 0 }

    /// Why the text is not a duration that can be used: "negative" or "unreadable".
    static func fault(of text: String) -> String {
        text.contains("-") && WorkSpan(text.filter { $0 != "-" }) != nil ? "negative" : "unreadable"
    }

    private static func component(_ rest: inout Substring) -> (Double, Character)? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        rest = rest.dropFirst(digits.count)
        guard digits.count <= 15, let number = Double(digits), let unit = rest.popFirst() else { return nil }
        return (number, unit)
    }

    private mutating func add(_ number: Double, _ unit: Character, isTime: Bool) {
        switch unit {
        case "Y": months += number * 12
        case "M" where !isTime: months += number
        case "D": days += number
        case "H": minutes += number * 60
        case "M": minutes += number
        default: minutes += number / 60
        }
    }
}

/// A duration, with the unit in which the plan counts it.
struct PlanDuration: Equatable {
    var span: WorkSpan
    /// Whether it counts all hours, weekends included, and not only working time.
    var isElapsed: Bool

    /// The `DurationFormat`s (and `LagFormat`s) em, eh, ed, ew, emo and e%, and the same marked as estimates.
    /// https://learn.microsoft.com/en-us/office-project/xml-data-interchange/durationformat-element
    static let elapsedFormats: Set = [4, 6, 8, 10, 12, 20, 36, 38, 40, 42, 44, 52]
    /// The formats % and e%, and the same marked as estimates.
    static let percentFormats: Set = [19, 20, 51, 52]

    init?(_ text: String, format: Int?) {
        guard let span = WorkSpan(text) else { return nil }
        self.span = span
        isElapsed = PlanDuration.elapsedFormats.contains(format ?? 0)
    }
}
