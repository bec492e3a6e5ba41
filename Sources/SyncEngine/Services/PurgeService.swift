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
        try await store.write(.project(project)) { transaction in
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
            let step: PurgeStep = try await store.write(.project(project)) { transaction in
                try self.step(collection, project, upTo: upper, from: here, transaction)
            }
            removed += step.removed
            position = step.next
        }
        return removed
    }

    /// Invariant: rows, counters and horizon change in one transaction.
    private func step(
        _ collection: Collection, _ project: String, upTo upper: SyncSeq, from position: PurgePosition,
        _ transaction: any WriteTransaction
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
