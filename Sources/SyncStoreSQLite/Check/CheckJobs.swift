import Foundation
import GRDB
import SyncStore
import SyncStoreSQL
import Synchronization

/// The parts of a check. Each runs on the next free connection. Their findings are combined in the order of the parts.
struct CheckJobs: Sendable {
    /// One part. `place` names what is damaged if this part can't read it.
    struct Job: Sendable {
        let place: String
        let look: @Sendable (Database, inout CheckReport) throws -> Void
    }

    private struct State {
        var next = 0
        var reports: [Int: CheckReport] = [:]
        var failure: (any Error)?
    }

    let jobs: [Job]
    let interruption: Interruption
    let watch: CheckWatch

    /// Runs all parts. A part that can't be read becomes a finding, and
    /// the other parts still run. Throws errors that end the whole check.
    func run(on queues: [DatabaseQueue]) throws -> CheckReport {
        let state = Mutex(State())
        watch.add(parts: jobs.count)
        DispatchQueue.concurrentPerform(iterations: queues.count) { work(on: queues[$0], state) }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return jobs.indices.reduce(into: CheckReport()) { $0.add(state.reports[$1] ?? CheckReport()) }
        }
    }

    private func work(on queue: DatabaseQueue, _ state: borrowing Mutex<State>) {
        while let index = next(state) {
            do {
                try interruption.requireNone()
                let report = try queue.inDatabase { try self.report(of: jobs[index], $0) }
                state.withLock { $0.reports[index] = report }
                watch.finishPart()
            } catch {
                state.withLock { if $0.failure == nil { $0.failure = error } }
            }
        }
    }

    private func next(_ state: borrowing Mutex<State>) -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.next < jobs.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func report(of job: Job, _ db: Database) throws -> CheckReport {
        var report = CheckReport()
        do {
            try job.look(db, &report)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT || !error.saysDamage {
            throw error
        } catch {
            report.add(CheckFinding(code: .damagedFile, place: job.place, project: "", subject: "\(error)"))
        }
        return report
    }
}
