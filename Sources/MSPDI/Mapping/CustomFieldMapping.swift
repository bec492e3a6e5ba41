import SyncProtocol

/// Custom fields. Three of them, recognized by name, are the estimates of a task. All others are listed.
struct CustomFieldMapping {
    let fields: [String: CustomField]
    let durations: DurationMapping
    let omissions: Omissions

    /// From the shortest estimate to the longest.
    private static let estimates = [
        ("optimistic", "optimistic_duration"), ("most likely", "most_likely_duration"),
        ("pessimistic", "pessimistic_duration"),
    ]

    /// The field in which an export stores progress that is not a whole percentage.
    static let exactPercent = "Exact Percent Complete"

    /// The exact progress that an export stored, if it still agrees with `PercentComplete`. Otherwise nil.
    func exactPercent(of task: PlanTask) -> Double? {
        let text = task.customValues.first { isExactPercent($0) }?.text
        guard let percent = text.flatMap(Double.init), percent > 0, percent < 100,
            Double(CustomFieldWriting.wholePercent(percent)) == task.percentComplete
        else { return nil }
        return percent
    }

    private func isExactPercent(_ value: CustomValue) -> Bool {
        label(value).lowercased() == CustomFieldMapping.exactPercent.lowercased()
    }

    /// The row's three fields. All are null if the estimates contradict each other, or if all are 0: that is what
    /// Project writes for custom durations that were never set.
    func estimates(of task: PlanTask) -> [String: JSON] {
        var days = read(task)
        let ordered = CustomFieldMapping.estimates.compactMap { days[$0.1] }
        if ordered.count == 3, ordered != ordered.sorted() {
            omissions.count("the estimates of", "task", "that are not in order")
            days = [:]
        }
        if ordered.allSatisfy({ $0 == 0 }) { days = [:] }
        return Dictionary(
            uniqueKeysWithValues: CustomFieldMapping.estimates.map { _, field in
                (field, days[field].map { .int(Int64($0)) } ?? .null)
            })
    }

    /// The estimates in days, by the row's field.
    private func read(_ task: PlanTask) -> [String: Int] {
        var days: [String: Int] = [:]
        var others: Set<String> = []
        for value in task.customValues {
            if let field = estimate(value) {
                days[field] = self.days(value)
            } else if value.holdsSomething, !isExactPercent(value) || exactPercent(of: task) == nil {
                others.insert(label(value))
            }
        }
        for label in others.sorted() { omissions.count("custom field \"\(label)\":", "task") }
        return days
    }

    private func days(_ value: CustomValue) -> Int? {
        if let duration = PlanDuration(value.text, format: value.format) { return durations.days(duration, .estimates) }
        if !value.text.isEmpty, value.text != "NA" {
            omissions.count("\(WorkSpan.fault(of: value.text)) custom field \"\(label(value))\" of", "task")
        }
        return nil
    }

    private func estimate(_ value: CustomValue) -> String? {
        let label = label(value).lowercased()
        let bare = label.hasSuffix(" duration") ? String(label.dropLast(9)).trimmed : label
        return CustomFieldMapping.estimates.first { $0.0 == bare }?.1
    }

    private func label(_ value: CustomValue) -> String { fields[value.fieldID]?.label ?? value.fieldID }
}
