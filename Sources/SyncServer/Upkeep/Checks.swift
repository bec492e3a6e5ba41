import SyncProtocol
package import SyncStore
import Synchronization

/// The checks that superusers start, of the database or of a backup. One at a time, beside the server's other work.
package final class Checks: Sendable {
    /// Checks the backup with this name, or the database for nil. It changes neither. `onProgress` gets how many parts
    /// are done, and how many there are. The check ends early if its task is cancelled.
    package typealias Check =
        @Sendable (
            _ backup: String?, _ onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
        ) async throws -> CheckReport

    private struct State {
        var isRunning = false
        var backup: String?
        var startedAt: Instant?
        var finishedAt: Instant?
        var done = 0
        var total = 0
        var report: CheckReport?
        var failure: String?

        var json: JSON {
            [
                "state": isRunning ? "running" : "idle", "backup": backup.map(JSON.string) ?? .null,
                "started_at": startedAt.map { .string($0.text) } ?? .null,
                "finished_at": finishedAt.map { .string($0.text) } ?? .null,
                "done": .int(Int64(done)), "total": .int(Int64(total)),
                "verdict": report.map { $0.isSound ? "sound" : "damaged" } ?? .null,
                "rows": .int(Int64(report?.rows ?? 0)), "findings": .array(report?.findings.map(\.described) ?? []),
                "more": .int(Int64(report?.more ?? 0)), "notes": .array(report?.notes.map(JSON.string) ?? []),
                "last_error": failure.map(JSON.string) ?? .null,
            ]
        }
    }

    /// What is said before there was a check.
    static let none = State().json

    private let check: Check
    private let clock: WallClock
    private let state = Mutex(State())
    /// What is known of the database since a check that did not pass. Nil after one that passed.
    private let fault = Mutex<CauseFinding?>(nil)

    package init(clock: WallClock = .system, _ check: @escaping Check) { (self.clock, self.check) = (clock, check) }

    /// Reserves the next check. Returns false if one is under way. `run` must follow.
    func begin(_ backup: String?) -> Bool {
        let now = clock.now()
        return state.withLock { state in
            guard !state.isRunning else { return false }
            state = State(isRunning: true, backup: backup, startedAt: now)
            return true
        }
    }

    /// Runs the check that was reserved. It is under way until `note` has returned, so whoever reads that it is over
    /// also finds what `note` keeps.
    func run(note: (CheckReport) async throws -> Void) async throws {
        let report: CheckReport
        let isOfDatabase = state.withLock { $0.backup == nil }
        do {
            report = try await check(state.withLock { $0.backup }) { [weak self] done, total in
                self?.state.withLock { ($0.done, $0.total) = (done, total) }
            }
        } catch {
            let failure = UpkeepFailure.sentence(error, "The check failed.")
            if !(error is CancellationError), isOfDatabase { remember(CauseFinding(.checkFailed, detail: failure)) }
            end { $0.failure = failure }
            throw error
        }
        if isOfDatabase { remember(report.isSound ? nil : CauseFinding(.checkFailed, detail: Self.foundFaults)) }
        defer { end { $0.report = report } }
        try await note(report)
    }

    private static let foundFaults = "The last check of the database found faults."

    private func remember(_ finding: CauseFinding?) { fault.withLock { $0 = finding } }

    /// A rule for the list of causes.
    var findings: [CauseFinding] { fault.withLock { $0.map { [$0] } ?? [] } }

    private func end(_ change: (inout State) -> Void) {
        let now = clock.now()
        state.withLock { state in
            state.isRunning = false
            state.finishedAt = now
            change(&state)
        }
    }

    /// The check under way, or the last one.
    var json: JSON { state.withLock { $0 }.json }
}

extension CheckFinding {
    /// With what it means and what to do.
    fileprivate var described: JSON {
        [
            "code": .string(code.rawValue), "place": .string(place),
            "project_id": project.isEmpty ? .null : .string(project), "subject": .string(subject),
            "detail": .string(code.meaning), "remedy": .string(code.remedy),
        ]
    }
}

/// Why work on the installation failed, for people.
enum UpkeepFailure {
    /// `fallback` is a sentence for errors that have no text for people.
    static func sentence(_ error: any Error, _ fallback: String) -> String {
        if error is CancellationError { return fallback + " The server was stopped." }
        return (error as? StoreError)?.description ?? fallback + " The server's log has the reason."
    }
}
