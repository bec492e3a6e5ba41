package import SyncProtocol

/// What the server knows of a device that syncs. It is a help for operators: nothing that a client is served depends on
/// it, and the last minute may be lost.
package struct Device: Sendable, Equatable {
    /// The most devices of a user. The one that was seen least recently is forgotten first.
    package static let mostOfUser = 50

    package let key: DeviceKey
    package private(set) var name: Dated<String>?
    package private(set) var appVersion: Dated<String>?
    /// In all projects together. Its watermark is user-wide: 2^52 and a commit number of the installation.
    package private(set) var overall: DeviceActivity
    /// By project. The watermarks are commit numbers of the project.
    package private(set) var projects: [String: DeviceActivity]

    package init(
        key: DeviceKey, name: Dated<String>? = nil, appVersion: Dated<String>? = nil, overall: DeviceActivity,
        projects: [String: DeviceActivity] = [:]
    ) {
        self.key = key
        self.name = name
        self.appVersion = appVersion
        self.overall = overall
        self.projects = projects
    }

    /// Adds what somebody else knows of the same device: the later of each value counts.
    package mutating func merge(_ other: Device) {
        name.merge(other.name)
        appVersion.merge(other.appVersion)
        overall.merge(other.overall)
        for (project, activity) in other.projects { add(activity, in: project) }
    }

    package mutating func add(_ activity: DeviceActivity, in project: String) {
        guard projects[project] != nil else { return projects[project] = activity }
        projects[project]?.merge(activity)
    }

    /// The watermark that the device presented last for the project, or user-wide. It may have moved from one kind of
    /// sync to the other.
    package func watermark(in project: String) -> Dated<Int64>? {
        later(\.watermark, in: project)
    }

    /// What the device was sent last for the project, or user-wide, if it has presented nothing since. Otherwise that:
    /// a device that presents less than it was sent has not received it.
    package func sent(in project: String) -> Dated<Int64>? {
        guard let sent = later(\.sent, in: project) else { return watermark(in: project) }
        guard let watermark = watermark(in: project), watermark.at > sent.at else { return sent }
        return watermark
    }

    private func later(_ value: KeyPath<DeviceActivity, Dated<Int64>?>, in project: String) -> Dated<Int64>? {
        guard let own = projects[project]?[keyPath: value] else { return overall[keyPath: value] }
        guard let wide = overall[keyPath: value], wide.at > own.at else { return own }
        return wide
    }
}

/// What a device did in one project, or altogether.
package struct DeviceActivity: Sendable, Equatable {
    /// The result of a device's comparison of its rows with the server's digest.
    package enum Comparison: String, Sendable, CaseIterable {
        case same, differs
    }

    package private(set) var firstSeen: Instant
    package private(set) var lastSeen: Instant
    package private(set) var lastUpload: Instant?
    /// The watermark that the device presented last. It has stored what the watermark stands for.
    package private(set) var watermark: Dated<Int64>?
    /// The `timestamp` of the last drain that was sent to its end. The device may not have received it.
    package private(set) var sent: Dated<Int64>?
    /// The code of the last refusal.
    package private(set) var lastError: Dated<String>?
    package private(set) var comparison: Dated<Comparison>?

    package init(
        firstSeen: Instant, lastSeen: Instant, lastUpload: Instant? = nil, watermark: Dated<Int64>? = nil,
        sent: Dated<Int64>? = nil, lastError: Dated<String>? = nil, comparison: Dated<Comparison>? = nil
    ) {
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.lastUpload = lastUpload
        self.watermark = watermark
        self.sent = sent
        self.lastError = lastError
        self.comparison = comparison
    }

    /// Adds what somebody else knows of the same activity: the later of each value counts.
    package mutating func merge(_ other: DeviceActivity) {
        firstSeen = min(firstSeen, other.firstSeen)
        lastSeen = max(lastSeen, other.lastSeen)
        lastUpload = [lastUpload, other.lastUpload].compactMap(\.self).max()
        watermark.merge(other.watermark)
        sent.merge(other.sent)
        lastError.merge(other.lastError)
        comparison.merge(other.comparison)
    }
}

/// A device of a user. The id is the device's own; two users may have devices with the same one.
package struct DeviceKey: Sendable, Hashable {
    package let user: Int64
    package let id: ExactText

    package init(user: Int64, id: ExactText) { (self.user, self.id) = (user, id) }
}

/// A value and when it was learned. Of two, the one that was learned later counts.
package struct Dated<Value: Sendable & Equatable>: Sendable, Equatable {
    package let value: Value
    package let at: Instant

    package init(_ value: Value, at: Instant) { (self.value, self.at) = (value, at) }
}

extension Optional {
    /// Takes `other` over if it is not older.
    mutating func merge<Value>(_ other: Dated<Value>?) where Wrapped == Dated<Value> {
        guard let other else { return }
        if let own = self, own.at > other.at { return }
        self = other
    }
}

/// Reads of the ledger of devices.
package protocol DeviceReads {
    /// The user's devices, sorted by the bytes of their ids. With a project, only the activity in this one is read.
    func devices(of user: Int64, in project: String?) throws -> [Device]
    /// At most `limit` ids of users who have devices, greater than `after`, sorted.
    func usersWithDevices(after: Int64, limit: Int) throws -> [Int64]
    /// Looks at every device.
    func deviceCounts() throws -> DeviceCounts
}

/// Writes of the ledger of devices.
package protocol DeviceWrites {
    /// Merges the devices with what is known of them: the later of each value counts, whatever the order of the writes.
    /// Then each of their users has at most `Device.mostOfUser` devices, those that were seen last.
    func merge(_ devices: [Device]) throws
    /// Forgets a device. Returns false if there is none.
    func forgetDevice(_ key: DeviceKey) throws -> Bool
}

/// How many devices the ledger holds.
package struct DeviceCounts: Sendable, Equatable {
    package let known: Int
    /// Devices that have to pull a project of theirs from 0: they presented a watermark below its purge horizon, or one
    /// from before a restore.
    package let belowHorizon: Int

    package init(known: Int, belowHorizon: Int) { (self.known, self.belowHorizon) = (known, belowHorizon) }
}
