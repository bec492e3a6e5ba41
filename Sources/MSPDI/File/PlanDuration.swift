/// Durations with the unit in which the plan counts them.
struct PlanDuration: Equatable {
    var span: WorkSpan
    /// Counted round the clock, weekends included, instead of in working time.
    var isElapsed: Bool

    /// The `DurationFormat`s (and `LagFormat`s) em, eh, ed, ew, emo, e%, and the same as estimates.
    /// https://learn.microsoft.com/en-us/office-project/xml-data-interchange/durationformat-element
    static let elapsedFormats: Set = [4, 6, 8, 10, 12, 20, 36, 38, 40, 42, 44, 52]
    /// The formats % and e%, and the same as estimates.
    static let percentFormats: Set = [19, 20, 51, 52]

    init?(_ text: String, format: Int?) {
        guard let span = WorkSpan(text) else { return nil }
        self.span = span
        isElapsed = PlanDuration.elapsedFormats.contains(format ?? 0)
    }
}
