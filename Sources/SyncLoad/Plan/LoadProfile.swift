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
