/// Everything that determines a run.
package struct LoadPlan: Sendable {
    package var target: LoadTarget
    package var profile: LoadProfile
    /// Empty for `get`.
    package var project = ""
    /// Access tokens; the clients take them in turn. Empty for `get`.
    package var tokens: [String] = []
    /// The number of clients. Each has its own connection.
    package var clients = 8
    /// The number of event loops over which the clients are spread.
    package var threads = 1
    /// How long the run takes, or how much it does.
    package var extent = Extent.seconds(10)
    /// Seconds at the beginning that do not count.
    package var warmUp = 0.0
    /// Requests per second, for all clients together. Each starts when it is due, even if the last one was not answered
    /// (open loop). Nil for a closed loop.
    package var rate: Double?
    /// Whether the clients accept gzip.
    package var acceptsGzip = true
    /// Rows per page; nil for the server's default.
    package var pageSize: Int?
    package var rowsPerBatch = 1
    /// Extra headers for `get`.
    package var headers: [(name: String, value: String)] = []
    /// The seed of all random choices.
    package var seed: UInt64 = 1
    /// How many seconds `storm` waits for the server to start.
    package var patience = 60.0

    package enum Extent: Sendable, Equatable {
        /// The length of the whole run, including the warm-up.
        case seconds(Double)
        /// How many actions each client does: a drain for the profiles that drain, otherwise a request.
        case actions(Int)
    }

    package init(target: LoadTarget, profile: LoadProfile) {
        self.target = target
        self.profile = profile
    }

    /// Throws when the plan can't be carried out.
    package func check() throws(LoadError) {
        guard clients >= 1, threads >= 1, warmUp >= 0 else {
            throw LoadError("There must be at least one client and one thread.")
        }
        if case .seconds(let seconds) = extent, profile != .storm, seconds <= warmUp {
            throw LoadError("The run of \(seconds) s ends before its warm-up of \(warmUp) s. Give a longer --duration.")
        }
        if profile != .get, tokens.isEmpty { throw LoadError("There is no token. Give --token or --tokens.") }
    }
}
