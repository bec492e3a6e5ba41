import ArgumentParser
import Foundation
import SyncLoad
import SyncProtocol

/// What all profiles take: how much, how long, and where the report goes.
struct LoadOptions: ParsableArguments {
    @Option(help: "Clients, each with a connection of its own.") var clients: Int?
    @Option(help: "Threads that the clients are spread over.") var threads = 1
    @Option(help: "Seconds of the run, warm-up included.") var duration: Double?
    @Option(help: "Seconds at the beginning that are not counted.") var warmUp = 0.0
    @Option(
        help:
            "An open loop: requests a second in all, begun when they are due, whatever has been answered."
    )
    var rate: Double?
    @Flag(name: .customLong("no-gzip"), help: "Ask for answers as they are.") var noGzip = false
    @Option(help: ArgumentHelp("Write the report as JSON.", valueName: "file")) var json: String?
    @Option(help: ArgumentHelp("Write the report as a page with plots.", valueName: "file")) var html: String?

    func validate() throws {
        if let clients, !(1...50_000).contains(clients) { throw ValidationError("--clients must be 1 to 50000.") }
        guard (1...64).contains(threads) else { throw ValidationError("--threads must be 1 to 64.") }
        if let rate, !(rate > 0) { throw ValidationError("--rate must be above 0.") }
        guard warmUp >= 0, warmUp < duration ?? .infinity else {
            throw ValidationError("--warm-up must be shorter than --duration.")
        }
    }

    /// Puts them into a plan. `actions` is how much each client does, where that is said instead of a time.
    func apply(to plan: inout LoadPlan, clients: Int, actions: Int? = nil) throws {
        if let actions, actions < 1 { throw ValidationError("A client must do something at least once.") }
        if actions != nil, duration != nil { throw ValidationError("Give --duration or a number, not both.") }
        plan.clients = self.clients ?? clients
        plan.threads = min(threads, plan.clients)
        plan.extent = actions.map { .actions($0) } ?? .seconds(duration ?? warmUp + 10)
        (plan.warmUp, plan.rate, plan.acceptsGzip) = (warmUp, rate, !noGzip)
    }

    /// Runs the plan and writes the reports. Throws where the server was wrong, so that a fast wrong server fails.
    func carryOut(_ plan: LoadPlan) async throws {
        let bar = ProgressBar()
        let report = try await LoadRun(plan).run { bar.show($0, of: plan) }
        bar.clear()
        print(report.table)
        if let json { try LoadOptions.write(report.json.prettyText, to: json) }
        if let html { try LoadOptions.write(report.html, to: html) }
        guard report.mistakes.isEmpty else {
            throw CommandError("The server was wrong \(report.mistakes.count) time(s).")
        }
    }

    private static func write(_ text: String, to file: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: file))
        } catch {
            throw CommandError("Can't write \(file): \(error.localizedDescription)")
        }
    }
}

/// Tokens in a file: the JSON of `load prepare`, or one a line.
struct LoadTokenFile {
    let project: String?
    let tokens: [String]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError("Can't read \(path).")
        }
        let json = try? JSON(parsing: text)
        project = json?["project"]?.string
        tokens =
            json?["tokens"]?.array?.compactMap(\.string)
            ?? text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
    }
}

extension LoadError: OperatorError {}

extension ProgressBar {
    fileprivate func show(_ progress: LoadProgress, of plan: LoadPlan) {
        let unit = "\(progress.requests) requests" + (progress.mistakes > 0 ? ", \(progress.mistakes) WRONG" : "")
        switch plan.extent {
        case .seconds(let seconds) where plan.profile != .storm:
            show(min(Int(progress.seconds), Int(seconds)), of: Int(seconds), "s, " + unit)
        case .seconds, .actions: show(progress.finishedClients, of: plan.clients, "clients, " + unit)
        }
    }
}
