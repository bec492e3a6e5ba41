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
            (self.name, self.used, self.waiting) = (name, used, waiting)
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
        (self.questions, self.heartbeatAge, self.clockGap) = (questions, heartbeatAge, clockGap)
        (self.servers, self.pools) = (servers, pools)
    }
}
