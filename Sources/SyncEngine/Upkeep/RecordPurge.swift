import SyncProtocol
package import SyncStore

/// Forgets what uploads leave behind beside rows, once it is old enough: idempotency records, change history and inboxes.
/// Until then nobody is shown what is too old, so that it does not matter when a purge comes by.
package struct RecordPurge<Store: SyncStore>: Sendable {
    private let store: Store
    private let clock: WallClock
    private let retention: UploadRetention

    package init(store: Store, clock: WallClock, retention: UploadRetention) {
        self.store = store
        self.clock = clock
        self.retention = retention
    }

    /// Forgets all that is too old now, a step a transaction. Can be stopped between any two steps.
    package func purge() async throws {
        let now = clock.now()
        for step in [
            Step(age: retention.batches) { try $0.forgetAnswers(before: $1, limit: $2) },
            Step(age: retention.history) { try $0.forgetChanges(before: $1, limit: $2) },
            Step(age: retention.inbox) { try $0.forgetInbox(before: $1, limit: $2) },
        ] {
            var forgotten = Step.size
            while forgotten == Step.size {
                try Task.checkCancellation()
                forgotten = try await store.write(.installation) {
                    try step.forget($0, now.advanced(by: .zero - step.age), Step.size)
                }
            }
        }
    }
}

private struct Step: Sendable {
    /// Records that one transaction forgets at most, so that no other write waits long.
    static let size = 500

    let age: Duration
    /// Forgets what is from before the date, up to a count, and returns how much that was.
    let forget: @Sendable (any WriteTransaction, Instant, Int) throws -> Int
}
