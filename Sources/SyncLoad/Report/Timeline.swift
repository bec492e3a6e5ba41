/// The seconds of one kind as rates over the whole run. The last second has its real length.
struct Timeline: Sendable, Equatable {
    /// A stretch of the run; `start` is below 0 in the warm-up.
    struct Step: Sendable, Equatable {
        let start: Double
        let end: Double
        let second: Measurements.Second

        /// The value of `metric` per second.
        func rate(_ metric: (Measurements.Second) -> Double) -> Double { metric(second) / (end - start) }
    }

    /// A shorter last step has no meaningful rate. It is merged into the second before.
    private static let shortest = 0.2

    let steps: [Step]

    /// Makes a timeline. `seconds` starts `warmUp` seconds before 0. If it ends early,
    /// nothing was answered until `end`.
    init(_ seconds: [Measurements.Second], warmUp: Double, end: Double) {
        let length = max(end + warmUp, 1e-3)
        let whole = max(1, Int((length - Self.shortest).rounded(.up)))
        var buckets = [Measurements.Second](repeating: Measurements.Second(), count: whole)
        for (index, second) in seconds.enumerated() { buckets[min(index, whole - 1)] += second }
        steps = buckets.enumerated().map { index, second in
            let isLast = index == whole - 1
            return Step(start: Double(index) - warmUp, end: isLast ? end : Double(index + 1) - warmUp, second: second)
        }
    }

    var start: Double { steps.first?.start ?? 0 }
    var end: Double { steps.last?.end ?? 1 }
}
