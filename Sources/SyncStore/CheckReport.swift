package import SyncProtocol
import Synchronization

/// The result of a check.
package struct CheckReport: Sendable, Equatable {
    /// The number of rows that were checked, tombstones included.
    package var rows = 0
    /// The first faults of each kind in each place.
    package private(set) var findings: [CheckFinding] = []
    /// The number of further faults.
    package private(set) var more = 0

    /// What was not checked, and what an operator should know besides.
    package var notes: [String] = []

    package var isSound: Bool { findings.isEmpty }

    /// The greatest number of findings of one kind in one place. Further ones are only counted.
    package static let mostFindings = 20

    package init() {}

    package mutating func add(_ finding: CheckFinding) {
        let alike = findings.count { $0.code == finding.code && $0.place == finding.place }
        if alike < CheckReport.mostFindings { findings.append(finding) } else { more += 1 }
    }

    /// Adds the findings of another part. Each place is reported as unreadable only once.
    package mutating func add(_ other: CheckReport) {
        rows += other.rows
        notes += other.notes
        more += other.more
        let damaged = Set(findings.filter { $0.code == .damagedFile }.map(\.place))
        for finding in other.findings where finding.code != .damagedFile || !damaged.contains(finding.place) {
            add(finding)
        }
    }

    /// `{"sound": false, "rows": 28, "findings": [{"code", "place", "project", "subject"}], "more": 0, "notes": []}`.
    package var json: JSON {
        [
            "sound": .bool(isSound), "rows": .int(Int64(rows)), "more": .int(Int64(more)),
            "findings": .array(findings.map(\.json)), "notes": .array(notes.map(JSON.string)),
        ]
    }

    /// For a person: whether the database is sound, what was found, and what to do.
    package var text: String {
        guard !isSound else {
            let done = "The database is sound: \(counted(rows, "row")) \(rows == 1 ? "was" : "were") checked."
            return ([done] + notes).joined(separator: "\n")
        }
        var lines = ["The database is NOT sound: \(counted(findings.count + more, "fault"))."]
        for code in CheckCode.allCases {
            let faults = findings.filter { $0.code == code }
            guard !faults.isEmpty else { continue }
            lines += ["", "\(code.rawValue): \(code.meaning)"] + faults.map { "  \($0.text)" } + ["  → \(code.remedy)"]
        }
        if more > 0 { lines += ["", "\(more) more of the same kinds are not listed."] }
        if !notes.isEmpty { lines += [""] + notes }
        return lines.joined(separator: "\n")
    }
}

extension CheckFinding {
    fileprivate var json: JSON {
        [
            "code": .string(code.rawValue), "place": .string(place), "project": .string(project),
            "subject": .string(subject),
        ]
    }

    fileprivate var text: String { "\(place): \(subject)" + (project.isEmpty ? "" : " (project \(project))") }
}

/// A fault in a database.
package struct CheckFinding: Sendable, Equatable {
    package let code: CheckCode
    /// The name of a table or an index, a file's path, or `the file`.
    package let place: String
    /// The id of the project; empty if the fault belongs to no project.
    package let project: String
    /// The row or record, or the engine's description of the damage.
    package let subject: String

    package init(code: CheckCode, place: String, project: String, subject: String) {
        self.code = code
        self.place = place
        self.project = project
        self.subject = subject
    }
}

/// The kinds of fault that a check can find, with their remedies.
package enum CheckCode: String, Sendable, CaseIterable {
    /// The engine finds its own structures damaged, or a part can't be read.
    case damagedFile = "damaged_file"
    /// A row's checksum does not match its values.
    case damagedRow = "damaged_row"
    /// Commit numbers are out of order, or above the project's head.
    case wrongStamps = "wrong_stamps"
    /// A row refers to a row that does not exist, is a tombstone or
    /// is in another project, or to a user who does not exist.
    case danglingReference = "dangling_reference"
    /// A row is hidden from members who should see it, or the reverse.
    case wrongGate = "wrong_gate"
    /// Counters, digests, memberships, former owners or lists of
    /// references don't match the rows that they are derived from.
    case wrongDerivation = "wrong_derivation"
    /// A record of an upload is not valid: an idempotency record, a change in the history or an inbox entry.
    case wrongRecord = "wrong_record"
    /// Rows name a file as stored, and its bytes are not in the file store.
    case missingFile = "missing_file"
    /// The bytes of a stored file are not those that were sent.
    case changedFile = "changed_file"

    /// What is wrong, in one sentence.
    package var meaning: String {
        switch self {
        case .damagedFile: "The engine finds the database damaged, or a part of it can't be read."
        case .damagedRow: "The row is not what was written: its checksum differs."
        case .wrongStamps: "Commit numbers are out of order or above the project's head."
        case .danglingReference: "The row refers to something that is deleted, does not exist or is in another project."
        case .wrongGate: "The row is hidden from members who should see it, or the reverse."
        case .wrongDerivation: "Data that is derived from the rows does not match them."
        case .wrongRecord: "A batch id, an edit in the history or an inbox entry is not valid."
        case .missingFile: "Rows name the file as stored, and it is not in the file store."
        case .changedFile: "The bytes of the file are not those that were sent."
        }
    }

    /// What the operator does about it.
    package var remedy: String {
        switch self {
        case .damagedFile:
            """
            Stop the server, keep a copy of the files, and restore the latest backup that passes `tidemark check`, or \
            let a standby that passes take over. Then check the disk.
            """
        case .damagedRow:
            """
            Restore the latest backup that passes `tidemark check`. Or read the row over the API and write its right \
            values, which gives it a new checksum. Then check the disk.
            """
        case .missingFile, .changedFile:
            """
            Put the file back from a backup of the file store, under the same name. If there is none, remove what is \
            there, and whoever has the file can send it again. If all files are missing, name their folder with --files.
            """
        case .wrongStamps, .danglingReference, .wrongGate, .wrongDerivation, .wrongRecord:
            """
            Restore the latest backup that passes `tidemark check`, and report the fault with this output: Tidemark \
            should never do this.
            """
        }
    }
}

/// Follows a check: hears of each part that is done, and can end the check from another thread.
package final class CheckWatch: Sendable {
    private struct State {
        var done = 0
        var total = 0
        var isEnded = false
        var ends: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let onProgress: @Sendable (_ done: Int, _ total: Int) -> Void

    /// `onProgress` hears how many parts are done, and how many there are. It may be called on any thread.
    package init(onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }) {
        self.onProgress = onProgress
    }

    /// Says that there are more parts.
    package func add(parts: Int) { report { $0.total += parts } }

    package func finishPart() { report { $0.done += 1 } }

    /// Ends the check, which then throws a `CancellationError`.
    package func end() {
        let ends = state.withLock { state in
            state.isEnded = true
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end() }
    }

    /// Calls `body` when the check is to end, or now if it already is.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.ends.append(body) }
            return state.isEnded
        }
        if isEnded { body() }
    }

    package var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Throws a `CancellationError` if the check is to end.
    package func requireGoingOn() throws { if isEnded { throw CancellationError() } }

    private func report(_ change: (inout State) -> Void) {
        let (done, total) = state.withLock { state in
            change(&state)
            return (state.done, state.total)
        }
        onProgress(done, total)
    }
}
