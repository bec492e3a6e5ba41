import Foundation

/// The state of a store and its activity since it was opened, for monitoring.
package struct StoreMetrics: Sendable, Equatable {
    private static let groupSizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128]

    /// The name and version of the database engine; empty if there is none worth naming.
    package var engine = ""
    /// The number of the database's layout; 0 if it has none.
    package var layout = 0
    /// Sentences that the operator should read.
    package var warnings: [String] = []
    /// Flaws of the engine itself, which nobody here can mend.
    package var flaws: [String] = []
    /// How many writes shared each commit of this process.
    package var groups = Histogram(bounds: groupSizes)
    /// The number of writes that wait for the writer.
    package var waitingWrites = 0
    /// How long the oldest write waits, or takes.
    package var oldestWrite: Duration = .zero
    /// The size of the write-ahead log in bytes.
    package var logBytes = 0
    /// How many bytes can still be written to the disk that the database is on. Nil if that is not known here.
    package var freeBytes: Int64?
    /// Nil for a database that one server has for itself.
    package var shared: SharedDatabaseMetrics?

    package init() {}

    /// The bytes that this user can still write to the disk of a file or folder; nil if there is no such file.
    package static func freeBytes(at path: String) -> Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}

/// How a server gets on with a database that several servers share.
package struct SharedDatabaseMetrics: Sendable, Equatable {
    /// Connections for one purpose.
    package struct Pool: Sendable, Equatable {
        package let name: String
        /// Connections that somebody uses.
        package let used: Int
        /// Those who wait for one.
        package let waiting: Int

        package init(name: String, used: Int, waiting: Int) {
            self.name = name
            self.used = used
            self.waiting = waiting
        }
    }

    /// The upper bounds of the buckets of `questions`.
    package static let times = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1, 10]

    /// How long the database took to say what is new, in seconds, for each question.
    package var questions = Histogram(bounds: times)
    /// The time since the database took this server's last heartbeat.
    package var heartbeatAge: Duration = .zero
    /// By how much this machine's clock is ahead of the database's; negative if it is behind.
    package var clockGap: Duration = .zero
    /// The number of servers that work on the database.
    package var servers = 1
    package var pools: [Pool] = []

    package init(
        questions: Histogram, heartbeatAge: Duration, clockGap: Duration = .zero, servers: Int, pools: [Pool]
    ) {
        self.questions = questions
        self.heartbeatAge = heartbeatAge
        self.clockGap = clockGap
        self.servers = servers
        self.pools = pools
    }
}

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
