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
