import SyncAccounts
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Removes tombstones that are old enough, and raises each project's horizon to the greatest number removed.
///
/// A client whose watermark is not below the horizon knows of everything that is gone. Any other
/// client is refused and starts again from 0. The tombstones of projects and memberships stay,
/// so whoever lost access to a project always learns it.
package struct PurgeService<Store: SyncStore>: Sendable {
    /// Number of rows that one transaction examines. It is small, so no other write waits long.
    private static var stepSize: Int { 500 }

    private let store: Store
    private let registry: Registry
    private let clock: WallClock

    package init(store: Store, registry: Registry, clock: WallClock) {
        self.store = store
        self.registry = registry
        self.clock = clock
    }

    /// Removes the tombstones of all projects whose last stamp is older than `age`; up to an hour
    /// more may pass. An `age` of zero removes all tombstones. Can be stopped between any two
    /// steps, and continues the next time. Draws no number.
    ///
    /// With `wait`, tombstones stay that a device has not passed yet which a member used within that time, but none
    /// that is older than `wait`.
    package func purge(olderThan age: Duration, waitingForDevices wait: Duration? = nil) async throws -> PurgeReport {
        var report = PurgeReport()
        var last = ""
        while true {
            let ids = try await store.read(.installation) { [last] in try $0.projectIDs(after: last, limit: 100) }
            guard let end = ids.last else { return report }
            for id in ids {
                let removed = try await purge(project: id, olderThan: age, wait)
                report.tombstones += removed
                report.projects += removed > 0 ? 1 : 0
            }
            last = end
        }
    }

    private func purge(project: String, olderThan age: Duration, _ wait: Duration?) async throws -> Int {
        let now = clock.now()
        let (upper, counts) = try await store.read(.project(project)) { transaction in
            var upper =
                age == .zero
                ? try transaction.project(project)?.head
                : try transaction.lastCommit(of: project, before: now.advanced(by: .zero - age))
            if let wait, wait > age, let newest = upper {
                upper = try DeviceWait(transaction, now: now, longest: wait).upper(of: project, atMost: newest)
            }
            return (upper, try transaction.counts(project: project))
        }
        guard let upper else { return 0 }
        var removed = 0
        // Children first: a row that another row refers to stays.
        for collection in registry.collections.reversed() where collection.scope == .ordinary {
            guard counts[collection.name].map({ $0.tombstones > 0 }) ?? false else { continue }
            removed += try await purge(collection, project, upTo: upper)
        }
        let recent = clock.now().advanced(by: .zero - RecordPurge<Store>.commitAge)
        try await store.write(.project(project), priority: .vital) { transaction in
            try transaction.forgetCommits(of: project, before: recent)
            try transaction.forgetFormerOwners(of: project)
        }
        return removed
    }

    private func purge(_ collection: Collection, _ project: String, upTo upper: SyncSeq) async throws -> Int {
        var position: PurgePosition? = .start
        var removed = 0
        while let here = position {
            try Task.checkCancellation()
            let step: PurgeStep = try await store.write(.project(project), priority: .vital) { transaction in
                try self.step(collection, of: project, upTo: upper, from: here, in: transaction)
            }
            removed += step.removed
            position = step.next
        }
        return removed
    }

    /// Invariant: rows, counters and horizon change in one transaction.
    private func step(
        _ collection: Collection, of project: String, upTo upper: SyncSeq, from position: PurgePosition,
        in transaction: any WriteTransaction
    ) throws -> PurgeStep {
        let step = try transaction.purge(
            collection, project: project, upTo: upper, from: position, limit: PurgeService.stepSize)
        guard step.removed > 0 else { return step }
        let change = RowCounts(live: 0, tombstones: -step.removed)
        try transaction.addCounts(project: project, collection: collection.name, change)
        try transaction.raiseHorizon(of: project, to: step.largest)
        return step
    }
}

/// What a purge removed.
package struct PurgeReport: Sendable, Equatable {
    package var tombstones = 0
    /// Number of projects that lost tombstones.
    package var projects = 0

    package init() {}
}

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
                forgotten = try await store.write(.installation, priority: .vital) {
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
