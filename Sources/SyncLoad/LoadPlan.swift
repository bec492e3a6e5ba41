import Foundation

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

/// What the clients do.
package enum LoadProfile: Sendable, Equatable {
    /// Drains from 0, one after another.
    case coldStart
    /// Drains from the head, which find nothing new.
    case poll
    /// Batches of new tasks.
    case upload
    case mixed(Shares)
    /// One drain from 0 by every client at the same moment, as after a restart.
    case storm
    /// Plain GETs of one URL.
    case get

    /// The percentage of each action. A cold start counts as one action, however many pages it has.
    package struct Shares: Sendable, Equatable {
        package let poll: Int
        package let upload: Int
        package let coldStart: Int

        /// Nil when the sum is not 100.
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

/// The server under load: an `http` URL in parts.
package struct LoadTarget: Sendable, Equatable {
    /// A name or an address; an IPv6 address without brackets.
    package let host: String
    package let port: Int
    /// The path with its query for a plain URL; the path without a slash at the end for a server.
    package let path: String

    /// Nil unless the text is an absolute `http` URL. TLS is not supported, since the run would measure TLS itself.
    package init?(_ text: String) {
        guard let url = URLComponents(string: text), url.scheme?.lowercased() == "http", let host = url.host,
            !host.isEmpty, url.user == nil
        else { return nil }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = url.port ?? 80
        path = url.percentEncodedPath + (url.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    init(host: String, port: Int, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    /// The value of the header `Host`.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The path of the server's API.
    var base: String {
        let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
        return trimmed.hasSuffix("/api/v1") ? trimmed : trimmed + "/api/v1"
    }
}

/// Why a run was not possible. The description says what to do.
package struct LoadError: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
