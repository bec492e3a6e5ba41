/// The typed fields of one record. A value that can't be read counts as missing and is listed in `omissions`.
struct Fields {
    let record: PlanElement
    let kind: RecordKind
    /// The record's name in lists.
    let noun: String
    let omissions: Omissions

    init(_ record: PlanElement, _ kind: RecordKind, _ omissions: Omissions, noun: String? = nil) {
        self.record = record
        self.kind = kind
        self.noun = noun ?? kind.rawValue
        self.omissions = omissions
    }

    /// The fields of a part of the record, such as a link of a task.
    func part(_ element: PlanElement, _ noun: String) -> Fields { Fields(element, kind, omissions, noun: noun) }

    func text(_ name: String) -> String? { record[name] }

    func integer(_ name: String) -> Int? {
        read(name) { text in Int(text) ?? Double(text).flatMap { Int(exactly: $0.rounded()) } }
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
        !kind.unlisted.contains(field.name) && holdsSomething(field)
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
