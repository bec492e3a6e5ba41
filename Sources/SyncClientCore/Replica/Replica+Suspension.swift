import Foundation
import GRDB
import Synchronization

extension Replica {
    /// Ends all writing to replicas that were opened with `inSharedContainer`, before the system suspends the app: it
    /// kills an app that holds a lock in a container shared with other apps and extensions.
    ///
    /// A transaction under way is rolled back or, if it is being committed, ends. Until `resumeShared()`, whatever
    /// writes throws `ReplicaError.suspended`, also a sync and a watch; what they stored before stays. Reads go on.
    ///
    /// Posts GRDB's `Database.suspendNotification`, which an app may do itself. It goes to all databases of this
    /// process that observe it, and to none that is opened later.
    public static func suspendShared() {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    }

    /// Lets replicas be written to again: the app runs, or has time in the background. The next sync goes on where the
    /// last one ended. Posts GRDB's `Database.resumeNotification`.
    public static func resumeShared() {
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    }

    /// Does something that holds a lock beside the replica, and ends it when the app is about to be suspended. Throws
    /// `ReplicaError.suspended` then, and if it is already.
    func untilSuspended<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard isShared else { return try await body() }
        try write { _ in }
        let work = Task { try await body() }
        let isSuspended = Mutex(false)
        let observer = NotificationCenter.default.addObserver(
            forName: Database.suspendNotification, object: nil, queue: nil
        ) { _ in
            isSuspended.withLock { $0 = true }
            work.cancel()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        do {
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch is CancellationError where isSuspended.withLock(\.self) {
            throw ReplicaError.suspended(path: path)
        }
    }
}
