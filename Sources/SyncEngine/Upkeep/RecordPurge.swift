import SyncAccounts
import SyncProtocol
package import SyncStore

/// Deletes what writes leave besides rows, once it is old enough: idempotency records, change history, inboxes, the
/// audit list, and most commit numbers; and what the store has written for itself.
/// Records that are too old are never shown, so it does not matter when a purge runs.
package struct RecordPurge<Store: SyncStore>: Sendable {
    /// How long every commit number is kept. Cursors of user-wide drains need the numbers of the last day.
    static var commitAge: Duration { .seconds(7 * 86_400) }

    private let store: Store
    private let clock: WallClock
    private let retention: UploadRetention

    package init(store: Store, clock: WallClock, retention: UploadRetention) {
        self.store = store
        self.clock = clock
        self.retention = retention
    }

    /// Deletes all records that are too old now, in steps of one
    /// transaction each. Can be stopped between any two steps.
    package func purge() async throws {
        let now = clock.now()
        for step in [
            Step(age: retention.batches) { try $0.forgetAnswers(before: $1, limit: $2) },
            Step(age: retention.history) { try $0.forgetChanges(before: $1, limit: $2) },
            Step(age: retention.inbox) { try $0.forgetInbox(before: $1, limit: $2) },
            Step(age: AuditService<Store>.retention) { try $0.forgetAudit(before: $1, limit: $2) },
            Step(age: Self.commitAge) { try $0.thinCommits(before: $1, limit: $2) },
        ] {
            var forgotten = Step.size
            while forgotten == Step.size {
                try Task.checkCancellation()
                forgotten = try await store.write(.installation) {
                    try step.forget($0, now.advanced(by: .zero - step.age), Step.size)
                }
            }
        }
        try await store.tidyUp(at: now)
    }
}

private struct Step: Sendable {
    /// The most records that one transaction deletes, so no other write waits long.
    static let size = 500

    let age: Duration
    /// Deletes at most a number of records from before the date, and returns how many it deleted.
    let forget: @Sendable (any WriteTransaction, Instant, Int) throws -> Int
}
