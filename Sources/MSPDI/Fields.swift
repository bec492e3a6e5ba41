/// The typed fields of one record. A value that can't be read counts as missing and is listed in `omissions`.
struct Fields {
    let record: PlanElement
    let kind: RecordKind
    let omissions: Omissions

    init(_ record: PlanElement, _ kind: RecordKind, _ omissions: Omissions) {
        self.record = record
        self.kind = kind
        self.omissions = omissions
    }

    /// The record's name in lists.
    var noun: String { kind.rawValue }

    /// The fields of a part of the record, such as a link of a task.
    func part(_ element: PlanElement, _ kind: RecordKind) -> Fields { Fields(element, kind, omissions) }

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
