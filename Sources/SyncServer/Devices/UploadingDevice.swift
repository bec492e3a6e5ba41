import Synchronization

/// What the body of an upload tells of its device. The controller that reads the body fills it in.
final class UploadingDevice: Sendable {
    private struct State {
        var id: String?
        var projects: [String] = []
    }

    private let state = Mutex(State())

    /// The `device_id` in the body.
    var id: String? { state.withLock { $0.id } }
    /// The projects that a user-wide upload wrote to.
    var projects: [String] { state.withLock { $0.projects } }

    func identify(as id: String?) { state.withLock { $0.id = id } }
    func wrote(to projects: [String]) { state.withLock { $0.projects = projects } }
}
