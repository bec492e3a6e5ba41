/// Measures how long something takes, in nanoseconds.
enum Stopwatch {
    /// The result of `body`, and how long it took.
    static func nanoseconds<Value>(_ body: () async throws -> Value) async rethrows -> (Value, Int64) {
        let start = ContinuousClock.now
        let value = try await body()
        return (value, (ContinuousClock.now - start).nanoseconds)
    }

    /// The mean time of one call. It repeats the call for about a fifth of a second.
    static func mean(_ body: () throws -> Void) rethrows -> Int64 {
        let start = ContinuousClock.now
        var calls: Int64 = 0
        repeat {
            try body()
            calls += 1
        } while ContinuousClock.now - start < .milliseconds(200)
        return (ContinuousClock.now - start).nanoseconds / calls
    }
}

extension Duration {
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
