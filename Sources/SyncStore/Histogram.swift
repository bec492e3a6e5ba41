/// Counts values in buckets with fixed upper bounds.
package struct Histogram: Sendable, Equatable {
    /// The upper bound of each bucket, ascending. A value equal to a bound belongs to that bound's bucket.
    package let bounds: [Double]
    /// The number of values in each bucket, not cumulative. One more than
    /// there are bounds: the last bucket is for values above the last bound.
    package private(set) var counts: [Int]
    /// The sum of all values.
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    package mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// The number of all values.
    package var count: Int { counts.reduce(0, +) }
}
