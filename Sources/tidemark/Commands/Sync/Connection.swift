import ArgumentParser
import SyncClient
import SyncProtocol

/// A replica and the project on a server that it is of: what `pull`, `push` and `sync` share.
struct Connection: ParsableArguments {
    @Argument(help: "The server's address.") var url: String
    @Option(help: "The project's id.") var project: String
    @Option(help: "A personal access token.") var token: String
    @Option(help: ArgumentHelp("The replica; made where it is missing.", valueName: "file")) var replica: String
    @Option(help: "Rows of a page; the server's default where absent.") var pageSize: Int?
    @Flag(help: "Go on until stopped.") var watch = false
    @Flag(help: "Print what was done as JSON.") var json = false

    func run(_ direction: SyncDirection) async throws {
        let (bar, transport) = (ProgressBar(), HTTPTransport())
        do {
            let replica = try Replica(path: replica, project: project)
            let syncer = try Syncer(
                remote: try Remote(url: url, project: project, token: token), transport: transport, replica: replica,
                options: SyncOptions(pageSize: pageSize))
            if watch {
                try await syncer.watch(direction, every: .seconds(5), progress: bar.show) { bar.finish($0.sentence) }
            }
            let outcome = try await syncer.once(direction, progress: bar.show)
            bar.finish(outcome.sentence)
            for row in try replica.refused() { Terminal.message(row.sentence) }
            print(json ? outcome.json.text : outcome.result)
        } catch {
            bar.clear()
            try? await transport.shutdown()
            throw CommandError("\(error)")
        }
        try await transport.shutdown()
    }
}

extension Syncer {
    fileprivate func once(
        _ direction: SyncDirection, progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        switch direction {
        case .pull: SyncOutcome(pulled: try await pull(progress: progress))
        case .push: SyncOutcome(pushed: try await push(progress: progress))
        case .both: try await sync(progress: progress)
        }
    }
}

// MARK: Words

extension SyncOutcome {
    fileprivate var sentence: String {
        [refusal.map { "Nothing sent: \($0)" } ?? pushed?.sentence, pulled?.sentence].compactMap { $0 }
            .joined(separator: " ")
    }

    /// What a script wants to know first.
    fileprivate var result: String { pulled.map { "\($0.timestamp)" } ?? "\(pushed?.applied ?? 0)" }

    fileprivate var json: JSON { ["pulled": pulled?.json ?? .null, "pushed": pushed?.json ?? .null] }
}

extension PullOutcome {
    fileprivate var sentence: String {
        let extras =
            (resumed ? ", resumed" : "") + (resynced ? ", resynced from 0" : "")
            + (replaced.isEmpty ? "" : ", read anew: \(replaced.joined(separator: ", "))")
            + (differing.isEmpty ? "" : ", not as the server counts: \(differing.joined(separator: ", "))")
        return "\(rows) rows, \(deleted) deleted, \(pages) pages, now at \(timestamp)\(extras)."
    }

    fileprivate var json: JSON {
        [
            "timestamp": .int(timestamp.rawValue), "rows": .int(Int64(rows)), "deleted": .int(Int64(deleted)),
            "pages": .int(Int64(pages)), "resumed": .bool(resumed), "resynced": .bool(resynced),
        ]
    }
}

extension PushOutcome {
    fileprivate var sentence: String {
        let extras =
            (setAside == 0 ? "" : ", \(setAside) not taken and set aside")
            + (refused == 0 ? "" : ", \(refused) refused and kept")
        return batches == 0 ? "Nothing to send." : "\(applied) rows sent in \(batches) batches\(extras)."
    }

    fileprivate var json: JSON {
        [
            "applied": .int(Int64(applied)), "set_aside": .int(Int64(setAside)), "refused": .int(Int64(refused)),
            "batches": .int(Int64(batches)),
        ]
    }
}

extension RefusedRow {
    fileprivate var sentence: String {
        "Refused: \(collection) \(id)\(field.map { ", " + $0 } ?? ""): \(detail) (\(code))"
    }
}
