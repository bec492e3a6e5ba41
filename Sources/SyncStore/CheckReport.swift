package import SyncProtocol

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
