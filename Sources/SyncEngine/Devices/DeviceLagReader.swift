import SyncProtocol
import SyncStore

/// Reads how far devices are behind, in one transaction.
struct DeviceLagReader {
    let transaction: any ReadTransaction
    let now: Instant

    /// How far the device is behind the project; nil if it presented no watermark, or one from before a restore: it
    /// will begin from 0.
    func lag(of device: Device, in project: ProjectState) throws -> DeviceLag? {
        try lag(behind: device.watermark(in: project.id), in: project)
    }

    /// How far the device is behind the project if it has received what it was sent; nil as for `lag(of:in:)`.
    func lagSent(to device: Device, in project: ProjectState) throws -> DeviceLag? {
        try lag(behind: device.sent(in: project.id), in: project)
    }

    private func lag(behind watermark: Dated<Int64>?, in project: ProjectState) throws -> DeviceLag? {
        guard let seq = try seq(watermark, in: project), project.floor <= seq, seq <= project.head else { return nil }
        guard seq < project.head else { return DeviceLag.none }
        let next = SyncSeq(seq.rawValue + 1)
        var first: Instant?
        if let number = try transaction.number(of: next, in: project.id) {
            let before = CommitNumber(number.rawValue - 1)
            first = try transaction.commits(to: project.id, after: before, limit: 1).first?.at
        }
        let age = first.map { (now.milliseconds - $0.milliseconds) / 1000 } ?? 0
        return DeviceLag(commits: project.head.rawValue - seq.rawValue, seconds: max(0, age))
    }

    /// The head of the project up to which the device has everything; nil if it presented no watermark.
    func seq(of device: Device, in project: ProjectState) throws -> SyncSeq? {
        try seq(device.watermark(in: project.id), in: project)
    }

    private func seq(_ dated: Dated<Int64>?, in project: ProjectState) throws -> SyncSeq? {
        guard let watermark = dated?.value else { return nil }
        guard watermark > CommitNumber.limit else { return SyncSeq(watermark) }
        // A project without a commit up to the watermark is newer.
        return try transaction.head(of: project.id, at: CommitNumber(watermark - CommitNumber.limit)) ?? project.floor
    }

    /// How far the device is behind all of these projects together; nil if it is behind none that it presented a
    /// watermark of this history for.
    func lag(of device: Device, in projects: [ProjectState]) throws -> DeviceLag? {
        try sum(projects) { try lag(of: device, in: $0) }
    }

    /// How far the device is behind all of these projects together if it has received what it was sent.
    func lagSent(to device: Device, in projects: [ProjectState]) throws -> DeviceLag? {
        try sum(projects) { try lagSent(to: device, in: $0) }
    }

    private func sum(_ projects: [ProjectState], _ lag: (ProjectState) throws -> DeviceLag?) rethrows -> DeviceLag? {
        try projects.reduce(nil) { sum, project in
            guard let lag = try lag(project) else { return sum }
            return DeviceLag(
                commits: (sum?.commits ?? 0) + lag.commits, seconds: max(sum?.seconds ?? 0, lag.seconds))
        }
    }
}
