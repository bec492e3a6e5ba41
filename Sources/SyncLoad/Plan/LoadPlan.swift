/// All that a run is a function of.
package struct LoadPlan: Sendable {
    package var target: LoadTarget
    package var profile: LoadProfile
    /// Empty for `get`.
    package var project = ""
    /// One for each client, in turn; empty for `get`.
    package var tokens: [String] = []
    /// Each has a connection of its own.
    package var clients = 8
    /// Event loops that the clients are spread over.
    package var threads = 1
    package var extent = Extent.seconds(10)
    /// Seconds at the beginning that are not counted.
    package var warmUp = 0.0
    /// Requests a second, of all clients together, begun when they are due and not when the last one was answered; nil
    /// for a closed loop.
    package var rate: Double?
    package var acceptsGzip = true
    /// Rows of a page; the server's default for nil.
    package var pageSize: Int?
    package var rowsPerBatch = 1
    /// More headers, for `get`.
    package var headers: [(name: String, value: String)] = []
    /// What is drawn is drawn from this.
    package var seed: UInt64 = 1
    /// Seconds that `storm` waits for the server to be up.
    package var patience = 60.0

    package enum Extent: Sendable, Equatable {
        /// Of the whole run, warm-up included.
        case seconds(Double)
        /// For each client: requests, or drains where a drain is what it does.
        case actions(Int)
    }

    package init(target: LoadTarget, profile: LoadProfile) {
        self.target = target
        self.profile = profile
    }

    /// Throws a sentence where the plan can't be carried out.
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
