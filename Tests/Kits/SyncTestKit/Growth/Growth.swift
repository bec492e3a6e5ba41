import Foundation

/// How the work of something grows that has twice as much to do: 2 for work in proportion, 4 for the square of it.
package enum Growth {
    /// The bound for a doubling, with room for what a busy machine adds.
    package static let bound = 3.2

    /// How many times as much processor time of this thread the work takes for twice the size. `prepare` makes the work
    /// for a size; only the work counts. The median of three tries, unless the first is clear.
    package static func ofDoubling(_ size: Int, _ prepare: (Int) throws -> () throws -> Void) throws -> Double {
        let single = try prepare(size)
        let double = try prepare(2 * size)
        func ratio() throws -> Double { try seconds(double) / max(try seconds(single), 1e-6) }
        let first = try ratio()
        if first < 2.6 { return first }
        return try [first, ratio(), ratio()].sorted()[1]
    }

    private static func seconds(_ work: () throws -> Void) throws -> Double {
        let start = now
        try work()
        return now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
