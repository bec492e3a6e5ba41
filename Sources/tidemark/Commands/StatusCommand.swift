import Foundation
import SyncProtocol

/// The answer of `GET /admin/status/`, in a dozen lines.
struct StatusText {
    private let status: JSON
    private let metrics: [JSON]

    init(_ status: JSON) {
        self.status = status
        metrics = status["metrics"]?.array ?? []
    }

    var lines: [String] {
        [head] + warnings + figures.compactMap { title, text in text.map { title.padded + $0 } } + slowest
    }

    private var head: String {
        "Tidemark \(text("version")) on \(text("database")), started at \(text("started_at"))"
    }

    private var warnings: [String] {
        (status["warnings"]?.array ?? []).compactMap { $0.string.map { "Warning: \($0)" } }
    }

    private var figures: [(String, String?)] {
        let requests = "tidemark_http_requests_total"
        let faults = sum(requests) { $0.hasPrefix("5") } ?? 0
        return [
            ("requests", count(sum(requests)).map { "\($0), \(count(faults) ?? "0") of them with status 5xx" }),
            ("commits", count(sum("tidemark_commits_total"))),
            ("uploaded rows", count(sum("tidemark_upload_rows_total"))),
            ("connections", count(sum("tidemark_http_connections"))),
            ("event streams", count(sum("tidemark_event_streams"))),
            ("waiting pulls", count(sum("tidemark_held_pulls"))),
            ("waiting writes", count(sum("tidemark_write_queue_length"))),
            ("servers", count(sum("tidemark_servers"))),
            ("write-ahead log", size(sum("tidemark_wal_bytes"))),
            ("memory", size(sum("process_resident_memory_bytes"))),
        ]
    }

    private var slowest: [String] {
        let requests = status["slowest_requests"]?.array ?? []
        guard let first = requests.first else { return [] }
        let line = ["milliseconds", "method", "route", "request_id"].map { first[$0]?.string ?? first[$0]?.text ?? "" }
        return ["slowest".padded + "\(line[0]) ms: \(line[1]) \(line[2]), request \(line[3])"]
    }

    private func text(_ member: String) -> String { status[member]?.string ?? "?" }

    /// The sum of a family's values, of those whose status is meant; nil if the server has none.
    private func sum(_ name: String, where isMeant: (String) -> Bool = { _ in true }) -> Double? {
        let values = metrics.filter { $0["name"]?.string == name && isMeant($0["labels"]?["status"]?.string ?? "") }
            .compactMap { $0["value"]?.number }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    private func count(_ value: Double?) -> String? { value.map { String(Int64($0)) } }

    private func size(_ value: Double?) -> String? { value.map { "\(Int64($0 / 1_000_000)) MB" } }
}

extension String {
    fileprivate var padded: String { padding(toLength: 18, withPad: " ", startingAt: 0) }
}
