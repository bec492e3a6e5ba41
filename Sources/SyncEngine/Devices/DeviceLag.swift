import SyncProtocol

/// How far a device is behind a project.
struct DeviceLag: Equatable {
    static let none = DeviceLag(commits: 0, seconds: 0)

    /// Commits that the device lacks.
    var commits: Int64
    /// The age of the first of them.
    var seconds: Int64

    var json: JSON { ["commits": .int(commits), "seconds": .int(seconds)] }
}
