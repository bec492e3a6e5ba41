import ArgumentParser
import Foundation
import SyncClientCore
import SyncProtocol

struct StatusCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a running server is doing.",
        discussion: """
            Needs the token of a superuser, which is read from TIDEMARK_TOKEN or --token-file. Counts begin at the \
            server's start. Of several servers, the one that answers is shown. --json prints all that it says.
            Example: tidemark status https://tidemark.example.org --token-file token
            """)

    @OptionGroup var server: ServerOptions
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let status = try await status()
        try json ? Terminal.result(json: status) : Terminal.result(StatusText(status).lines.map(\.plain))
    }

    func status() async throws -> JSON {
        let answer = try await server.withClient { try await $0.ask(.get, "/admin/status/") }
        guard answer.response.status == 200, answer.json["metrics"] != nil else { throw CommandError(refusal(answer)) }
        return answer.json
    }

    private func refusal(_ answer: ServerClient.Answer) -> String {
        switch answer.response.status {
        case 401: "The server does not know the token. `tidemark token create` makes one."
        case 403: "\(answer.problem) `tidemark user add NAME --superuser` makes such an account."
        case 404: "\(server.url) does not know this question. It is an older server, or something else."
        default: answer.problem
        }
    }
}

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
        let causes = (status["causes"]?.array ?? []).compactMap { cause -> String? in
            guard let detail = cause["detail"]?.string, let remedy = cause["remedy"]?.string else { return nil }
            let since = cause["since"]?.string ?? "?"
            return "\(cause["stops"]?.bool == true ? "Now" : "Soon"): \(detail) \(remedy) (since \(since))"
        }
        return causes + (status["warnings"]?.array ?? []).compactMap { $0.string.map { "Warning: \($0)" } }
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
