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
