import ArgumentParser
import Foundation
import SyncClient

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Copy a project into a local SQLite replica, as a phone does.",
        discussion: """
            Can be stopped anywhere and started again; goes on where it was.
            Example: tidemark pull http://127.0.0.1:8080 --project 3f6c… --token tmk_… --replica plan.replica
            """)

    @Argument(help: "The server's address.") var url: String
    @Option(help: "The project's id.") var project: String
    @Option(help: "A personal access token.") var token: String
    @Option(help: ArgumentHelp("The replica; made where it is missing.", valueName: "file")) var replica: String
    @Option(help: "Rows of a page; the server's default where absent.") var pageSize: Int?
    @Flag(help: "Go on pulling until stopped.") var watch = false

    func run() async throws {
        let bar = ProgressBar()
        let transport = HTTPTransport()
        let outcome: PullOutcome
        do {
            let puller = try Puller(
                remote: try Remote(url: url, project: project, token: token), transport: transport,
                replica: try Replica(path: replica, project: project), options: PullOptions(pageSize: pageSize))
            if watch {
                try await puller.watch(every: .seconds(5), progress: bar.show) { bar.finish($0.sentence) }
            }
            outcome = try await puller.pull(progress: bar.show)
        } catch {
            bar.clear()
            try? await transport.shutdown()
            throw CommandError("\(error)")
        }
        bar.finish(outcome.sentence)
        try await transport.shutdown()
        print(outcome.timestamp)
    }
}

extension PullOutcome {
    fileprivate var sentence: String {
        let extras =
            (resumed ? ", resumed" : "") + (resynced ? ", resynced from 0" : "")
            + (replaced.isEmpty ? "" : ", read anew: \(replaced.joined(separator: ", "))")
            + (differing.isEmpty ? "" : ", not as the server counts: \(differing.joined(separator: ", "))")
        return "\(rows) rows, \(deleted) deleted, \(pages) pages, now at \(timestamp)\(extras)."
    }
}
