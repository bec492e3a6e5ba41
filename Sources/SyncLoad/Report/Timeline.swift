/// A kind's seconds as rates over the whole run, the last second being as long as it was.
struct Timeline: Sendable, Equatable {
    /// A stretch of the run; `start` is below 0 in the warm-up.
    struct Step: Sendable, Equatable {
        let start: Double
        let end: Double
        let second: Measurements.Second

        /// What `figure` comes to in one second.
        func rate(_ figure: (Measurements.Second) -> Double) -> Double { figure(second) / (end - start) }
    }

    /// What is shorter says nothing of its rate, and goes with the second before.
    private static let shortest = 0.2

    let steps: [Step]

    /// `seconds` begin `warmUp` before the moment 0; where they end early, nothing was answered until `end`.
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
