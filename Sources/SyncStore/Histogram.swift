/// How often which values were seen: a histogram with fixed bounds.
package struct Histogram: Sendable, Equatable {
    /// Ascending. A value that is equal to a bound counts as below it.
    package let bounds: [Double]
    /// Of each bucket alone, and of what is above the last bound: one more than there are bounds.
    package private(set) var counts: [Int]
    /// All values added up.
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    package var count: Int { counts.reduce(0, +) }
}
