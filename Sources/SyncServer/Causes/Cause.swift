import SyncProtocol

/// Something that keeps the server from working, or may soon. Each has a rule for its beginning and for its end; none
/// waits for a restart. `docs/operations/causes.md` says what to do when.
enum Cause: String, Sendable, CaseIterable {
    case diskFull = "disk_full"
    case databaseReadOnly = "database_read_only"
    case damaged
    case databaseUnreachable = "database_unreachable"
    case streamsFull = "streams_full"

    case diskLow = "disk_low"
    case databaseSlow = "database_slow"
    case backupNever = "backup_never"
    case backupOverdue = "backup_overdue"
    case backupFailing = "backup_failing"
    case checkFailed = "check_failed"
    case clockJumped = "clock_jumped"
    case certificateExpiring = "certificate_expiring"

    /// Whether something does not work now. The others are told before it comes to that.
    var stops: Bool {
        switch self {
        case .diskFull, .databaseReadOnly, .damaged, .databaseUnreachable, .streamsFull: true
        case .diskLow, .databaseSlow, .backupNever, .backupOverdue, .backupFailing, .checkFailed, .clockJumped,
            .certificateExpiring:
            false
        }
    }

    /// What it means, if nothing more is known.
    var meaning: String {
        switch self {
        case .diskFull: "The database's disk is full. Only logins, revoking, disabling and purges are written."
        case .databaseReadOnly: "The database takes no writes."
        case .damaged: "The database has reported damaged data."
        case .databaseUnreachable: "The database does not answer."
        case .streamsFull: "All places for event streams are taken. Apps that come now pull without being told."
        case .diskLow: "A disk has little room left."
        case .databaseSlow: "The database has taken more than a second for each answer, for half a minute and more."
        case .backupNever: "There is no backup in the folder for backups."
        case .backupOverdue: "The newest backup is older than it should be."
        case .backupFailing: "The last backup failed."
        case .checkFailed: "The last check found faults, or could not be finished."
        case .clockJumped: "The machine's clock was set by a minute or more."
        case .certificateExpiring: "The certificate expires soon."
        }
    }

    /// What to do about it, in a sentence.
    var remedy: String {
        switch self {
        case .diskFull: "Make room on the disk. It ends by itself when there is enough."
        case .databaseReadOnly: "Make the database's disk or the database writable. A write is tried every few seconds."
        case .damaged:
            "Check the database here, in the console. It ends with a check that passes; otherwise restore a backup."
        case .databaseUnreachable: "See whether the database runs and can be reached. It ends with the next answer."
        case .streamsFull: "Raise TIDEMARK_EVENTS_STREAMS, or find out who opens so many."
        case .diskLow: "Make room, or lower TIDEMARK_DISK_LOW_MB."
        case .databaseSlow: "Look at the disk and at the machine's load. It ends with the first quick answer."
        case .backupNever: "Make a backup. The log says why the server's own failed."
        case .backupOverdue: "Make a backup. The log says why the server's own failed."
        case .backupFailing: "Mend what the log says, and make a backup."
        case .checkFailed: "Read the check's findings. It ends with a check that passes."
        case .clockJumped: "See that the machine's time is right and is kept by NTP. It ends after an hour."
        case .certificateExpiring: "Renew the certificate. The server reads the new one by itself."
        }
    }
}

/// What a rule has found.
struct CauseFinding: Sendable, Equatable {
    let cause: Cause
    /// Since when, if the rule knows. Otherwise it counts from when it is first found.
    var since: Instant?
    /// What it means here. Otherwise the cause's meaning is told.
    var detail: String?

    init(_ cause: Cause, since: Instant? = nil, detail: String? = nil) {
        self.cause = cause
        self.since = since
        self.detail = detail
    }
}

extension CauseFinding {
    /// Two of one cause, such as two disks that are low.
    func joined(_ other: CauseFinding) -> CauseFinding {
        let since = [since, other.since].compactMap(\.self).min()
        let details = [self, other].map { $0.detail ?? cause.meaning }
        return CauseFinding(cause, since: since, detail: details.joined(separator: " "))
    }
}

/// A cause that holds now.
struct StandingCause: Sendable, Equatable {
    let cause: Cause
    let since: Instant
    let detail: String
}

extension AnswerShape<StandingCause> {
    static var cause: AnswerShape {
        AnswerShape(
            "Cause",
            [
                .word("cause") { $0.cause }, .instant("since") { $0.since },
                .flag("stops", "Whether something does not work now.") { $0.cause.stops },
                .text("detail", "What it means.") { $0.detail }, .text("remedy", "What to do.") { $0.cause.remedy },
            ])
    }
}
