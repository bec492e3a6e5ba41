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

/// What the clients do.
package enum LoadProfile: Sendable, Equatable {
    /// Drains from 0, one after the other.
    case coldStart
    /// Drains from the head: nothing new.
    case poll
    /// Batches of new tasks.
    case upload
    case mixed(Shares)
    /// One drain from 0 by everybody at the same moment, as after a restart.
    case storm
    /// One URL, whatever is there.
    case get

    /// How many of a hundred actions are which; a cold start counts once, whatever its pages.
    package struct Shares: Sendable, Equatable {
        package let poll: Int
        package let upload: Int
        package let coldStart: Int

        /// Nil where they do not come to 100.
        package init?(poll: Int, upload: Int, coldStart: Int) {
            guard min(poll, upload, coldStart) >= 0, poll + upload + coldStart == 100 else { return nil }
            self.poll = poll
            self.upload = upload
            self.coldStart = coldStart
        }
    }

    package var name: String {
        switch self {
        case .coldStart: "cold-start"
        case .poll: "poll"
        case .upload: "upload"
        case .mixed: "mixed"
        case .storm: "storm"
        case .get: "get"
        }
    }

    /// Whether clients need to know the head before they start.
    var needsHead: Bool {
        switch self {
        case .poll, .upload, .mixed: true
        case .coldStart, .storm, .get: false
        }
    }

    /// Whether the run writes.
    var writes: Bool {
        switch self {
        case .upload: true
        case .mixed(let shares): shares.upload > 0
        case .coldStart, .poll, .storm, .get: false
        }
    }
}
