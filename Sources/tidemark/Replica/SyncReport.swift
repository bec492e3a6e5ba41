import SyncClientCore
import SyncProtocol

/// What a sync did, for a person and for a program.
struct SyncReport {
    let outcome: SyncOutcome
    /// The edits that the server refused in it.
    let refused: [RefusedEdit]
    /// Whether the replica is to hold parts.
    var hasParts = false
    /// What became of files; nil if none were sent.
    var files: FilesOutcome?
    /// Why files wait that were to be sent.
    var filesTrouble: String?

    var hasRefusals: Bool { !refused.isEmpty || files?.failed.isEmpty == false }

    var sentence: String {
        ([outcome.refusal.map { "Nothing sent: \($0)" } ?? outcome.pushed?.sentence, outcome.pulled?.sentence]
            .compactMap { $0 } + (outcome.pulled?.left.map(\.sentence) ?? []) + (knowsNoParts ? [Self.older] : []))
            .joined(separator: " ").plain
    }

    private var knowsNoParts: Bool { hasParts && outcome.pulled?.filter == .everything }

    private static let older = "The server is of a version without parts, so the replica holds everything."

    /// The line for stdout: the commit number reached or, if nothing was pulled, the number of rows sent.
    var result: String { outcome.pulled.map { "\($0.timestamp)" } ?? "\(outcome.pushed?.applied ?? 0)" }

    var json: JSON {
        [
            "pulled": outcome.pulled?.json ?? .null, "pushed": outcome.pushed?.json ?? .null,
            "refused": .array(refused.map(\.json)), "left": .array(outcome.pulled?.left.map(\.json) ?? []),
            "files": files?.json ?? .null,
        ]
    }
}

extension SyncOutcome {
    /// Whether a watch has something to say of it. Most rounds of a watch find nothing.
    var isNews: Bool {
        let pulled = pulled.map { $0.rows + $0.deleted + $0.dropped + $0.left.count > 0 || $0.resynced } ?? false
        return pulled || (pushed?.batches ?? 0) > 0 || refusal != nil
    }
}

extension FilesOutcome {
    /// What there is to say; empty if nothing is.
    var sentences: [String] {
        let sent = stored == 0 ? [] : ["\(counted(stored, "file")) sent."]
        let waiting = waiting == 0 ? [] : ["\(counted(waiting, "file")) can't be sent yet."]
        return sent
            + failed.map { file in
                "\((file.name ?? file.digest).quoted) was not taken: \(file.detail ?? file.reason ?? "")"
            } + waiting
    }

    fileprivate var json: JSON {
        [
            "sent": .int(Int64(stored)), "waiting": .int(Int64(waiting)),
            "failed": .array(failed.map { ["file": .string($0.digest), "code": .string($0.reason ?? "")] }),
        ]
    }
}

extension PullOutcome {
    fileprivate var sentence: String {
        let extras =
            (resumed ? ", resumed" : "") + (resynced ? ", resynced from 0" : "")
            + (replaced.isEmpty ? "" : ", read again: \(replaced.joined(separator: ", "))")
            + (differing.isEmpty ? "" : ", different from the server: \(differing.joined(separator: ", "))")
            + (isSettled ? "" : ", not settled: others kept writing, and what was read waits for the next pull")
        return
            "\(counted(rows, "row")), \(deleted.grouped) deleted, \(counted(pages, "page")), "
            + "now at \(timestamp)\(extras)."
    }

    fileprivate var json: JSON {
        [
            "timestamp": .int(timestamp.rawValue), "rows": .int(Int64(rows)), "deleted": .int(Int64(deleted)),
            "pages": .int(Int64(pages)), "resumed": .bool(resumed), "resynced": .bool(resynced),
            "settled": .bool(isSettled), "filter": filter.json,
        ]
    }
}

extension LeftProject {
    fileprivate var sentence: String {
        let project = "project \(id)" + (name.map { " “\(RefusedEdit.short($0))”" } ?? "")
        let what =
            switch reason {
            case .membershipRevoked: "You are no longer a member of \(project)"
            case .projectDeleted: "The \(project) was deleted"
            }
        return what + (setAside == 0 ? "." : "; \(counted(setAside, "unsent edit")) set aside.")
    }

    fileprivate var json: JSON {
        [
            "project_id": .string(id), "name": name.map(JSON.string) ?? .null, "code": .string(reason.rawValue),
            "set_aside": .int(Int64(setAside)),
        ]
    }
}

extension PushOutcome {
    fileprivate var sentence: String {
        let extras =
            (setAside == 0 ? "" : ", \(setAside.grouped) not taken and set aside")
            + (refused == 0 ? "" : ", \(refused.grouped) not taken and kept unsent")
        let sent = "\(counted(applied, "row")) sent in \(counted(batches, "batch", plural: "batches"))"
        return batches == 0 ? "Nothing to send." : "\(sent)\(extras)."
    }

    fileprivate var json: JSON {
        [
            "applied": .int(Int64(applied)), "set_aside": .int(Int64(setAside)), "refused": .int(Int64(refused)),
            "batches": .int(Int64(batches)),
        ]
    }
}
