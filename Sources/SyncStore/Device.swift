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
        (self.key, self.name, self.appVersion) = (key, name, appVersion)
        (self.overall, self.projects) = (overall, projects)
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
