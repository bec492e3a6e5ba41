/// The attempts at one request: how long each may take, how long to wait before the next, and when to give up.
struct Retry: Sendable, Equatable {
    private let options: SyncOptions
    private var random: SplitMix64
    private var began: Duration = .zero
    private var failures = 0
    private var busy = 0
    private var timeouts = 0

    init(_ options: SyncOptions, seed: UInt64) {
        self.options = options
        random = SplitMix64(seed: seed)
    }

    /// Starts a new request at `now`, with a new deadline.
    mutating func begin(at now: Duration) {
        began = now
        failures = 0
        busy = 0
        timeouts = 0
    }

    /// Records that an attempt ran into its timeout. If retries are unlimited, later attempts get more
    /// time, which a slow network may need.
    mutating func timedOut() { timeouts += 1 }

    /// How long the next attempt may take.
    func timeout(at now: Duration) -> Duration {
        guard let patience = options.patience else { return options.requestTimeout * (1 << min(timeouts, 5)) }
        return max(min(options.requestTimeout, began + patience - now), .milliseconds(1))
    }

    /// How long to wait after an attempt that failed at `now`; nil when it is time to give up.
    /// `asked` is the server's `Retry-After`.
    mutating func delay(after asked: Duration?, at now: Duration) -> Duration? {
        if let asked { busyDelay(asked) } else { backoff(at: now) }
    }

    /// The wait that the server asked for. The server is alive, so the wait does not count towards the deadline.
    private mutating func busyDelay(_ asked: Duration) -> Duration? {
        busy += 1
        guard options.patience == nil || (asked <= options.longestBusy && busy <= options.busyLimit) else { return nil }
        let delay = max(asked, options.firstDelay)
        began += delay
        return delay
    }

    private mutating func backoff(at now: Duration) -> Duration? {
        let doubled = options.firstDelay * (1 << min(failures, 20))
        failures += 1
        let delay = min(doubled, options.longestDelay) * Double.random(in: 0.5...1, using: &random)
        guard let patience = options.patience else { return delay }
        return now + delay < began + patience ? delay : nil
    }
}

/// A small random generator with a seed (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
/// Waits and tests can be repeated exactly.
struct SplitMix64: RandomNumberGenerator, Sendable, Equatable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
