import SyncProtocol
import SyncStore

/// The rules of what the server's parts know of themselves.
extension CauseList {
    func watch(_ store: some SyncStore) {
        watch { _ in
            let causes: [(StoreTroubles, Cause)] = [
                (.diskFull, .diskFull), (.readOnly, .databaseReadOnly), (.damaged, .damaged),
            ]
            return causes.filter { store.troubles.contains($0.0) }.map { CauseFinding($0.1) }
        }
    }

    func watch(_ limits: ListenerLimits) { watch { _ in limits.isFull ? [CauseFinding(.streamsFull)] : [] } }

    func watch(_ backups: Backups, since start: Instant) { watch { backups.findings($0, since: start) } }

    func watch(_ checks: Checks) { watch { _ in checks.findings } }

    func watch(_ certificates: Certificates) { watch(certificates.findings) }
}

extension ListenerLimits {
    /// Whether no stream may begin, because there are as many as there may be.
    var isFull: Bool {
        let counts = counts
        // Somebody who wants none misses none.
        return mostStreams > 0 && counts.streams >= mostStreams || counts.streams + counts.heldPulls >= most
    }
}

extension Backups {
    /// How late a backup may be: the server looks every hour, and a backup takes its time.
    private static let slack = Duration.seconds(3600)
    /// How long a server may take until its first backup is under way.
    private static let beginning = Duration.seconds(60)

    /// `start` is when the server started.
    fileprivate func findings(_ now: Instant, since start: Instant) -> [CauseFinding] {
        var findings: [CauseFinding] = []
        let made = try? place.newest(now)
        // Another backup may have been made since, by a command.
        let failure = lastFailure.flatMap { failure in made.map { $0 > failure.at } ?? false ? nil : failure }
        if let failure { findings.append(CauseFinding(.backupFailing, since: failure.at, detail: failure.sentence)) }
        do {
            if let newest = try place.newest(now) {
                let due = newest.advanced(by: plan.every)
                let detail = "The newest backup is of \(newest.text). One is due every \(plan.hours) h."
                if due.advanced(by: Self.slack) < now {
                    findings.append(CauseFinding(.backupOverdue, since: due, detail: detail))
                }
            } else if failure != nil || !isRunning && start.advanced(by: Self.beginning) < now {
                findings.append(CauseFinding(.backupNever, since: start))
            }
        } catch {
            let detail = "The folder for backups, \(plan.folder), can't be read."
            findings.append(CauseFinding(.backupFailing, detail: detail))
        }
        if let damaged = damagedFile {
            let detail = "The last check of the backup \(damaged.name) found faults."
            findings.append(CauseFinding(.checkFailed, since: damaged.at, detail: detail))
        }
        return findings
    }
}

extension Backups.Plan {
    fileprivate var hours: Int64 { every.components.seconds / 3600 }
}

extension Certificates {
    /// How long before the end it is told.
    private static let notice = Duration.seconds(14 * 86_400)

    fileprivate func findings(_ now: Instant) -> [CauseFinding] {
        let end = expiry
        let since = end.advanced(by: .zero - Self.notice)
        guard since <= now else { return [] }
        let verb = end <= now ? "has expired at" : "expires at"
        return [CauseFinding(.certificateExpiring, since: since, detail: "The certificate \(verb) \(end.text).")]
    }
}
