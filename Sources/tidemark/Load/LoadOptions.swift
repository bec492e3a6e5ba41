import ArgumentParser
import Foundation
import SyncLoad
import SyncProtocol

/// The options of all profiles: how much, how long, and where the report goes.
struct LoadOptions: ParsableArguments {
    @Option(help: "Number of clients, each with a connection of its own.") var clients: Int?
    @Option(help: "Number of threads that run the clients.") var threads = 1
    @Option(help: "Seconds that the run takes, including the warm-up.") var duration: Double?
    @Option(help: "Seconds at the start that are not counted.") var warmUp = 0.0
    @Option(
        help:
            "Open loop: start this many requests a second in total, without waiting for earlier answers."
    )
    var rate: Double?
    @Flag(name: .customLong("no-gzip"), help: "Ask for uncompressed answers.") var noGzip = false
    @Option(help: ArgumentHelp("Write the report to this file as JSON.", valueName: "file")) var json: String?
    @Option(help: ArgumentHelp("Write the report to this file as an HTML page with plots.", valueName: "file"))
    var html: String?

    func validate() throws {
        if let clients, !(1...50_000).contains(clients) { throw ValidationError("--clients must be from 1 to 50000.") }
        guard (1...64).contains(threads) else { throw ValidationError("--threads must be from 1 to 64.") }
        if let rate, !(rate > 0) { throw ValidationError("--rate must be above 0.") }
        guard warmUp >= 0, warmUp < duration ?? .infinity else {
            throw ValidationError("--warm-up must be shorter than --duration.")
        }
    }

    /// Copies the options into a plan. `actions` is the number of actions of each client, if
    /// that is given instead of a duration. Throws a `ValidationError` if both are given.
    func apply(to plan: inout LoadPlan, clients: Int, actions: Int? = nil) throws {
        if let actions, actions < 1 {
            throw ValidationError("The number of actions of each client must be at least 1.")
        }
        if actions != nil, duration != nil {
            throw ValidationError("Give --duration or a number of actions, not both.")
        }
        plan.clients = self.clients ?? clients
        plan.threads = min(threads, plan.clients)
        plan.extent = actions.map { .actions($0) } ?? .seconds(duration ?? warmUp + 10)
        plan.warmUp = warmUp
        plan.rate = rate
        plan.acceptsGzip = !noGzip
    }

    /// Runs the plan and writes the reports. Throws if any answer was wrong, so a server that is fast but wrong fails.
    func carryOut(_ plan: LoadPlan) async throws {
        let bar = ProgressBar()
        let report = try await LoadRun(plan).run { bar.show($0, of: plan) }
        bar.clear()
        try Terminal.result(report.table)
        if let json { try LoadOptions.write(report.json.prettyText, to: json) }
        if let html { try LoadOptions.write(report.html, to: html) }
        guard report.mistakes.isEmpty else {
            throw CommandError("The number of wrong answers from the server is \(report.mistakes.count).")
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

/// The options for the project, its server, and the tokens that read it.
struct LoadProjectOptions: ParsableArguments {
    @Argument(help: "The server's URL, for example http://127.0.0.1:8080.", transform: LoadProjectOptions.target)
    var url: LoadTarget
    @Option(help: "The project's id. (default: the one in --tokens)") var project: String?
    @Option(help: "A token. May be repeated; the clients take turns.") var token: [String] = []
    @Option(
        help: ArgumentHelp("The output of `load prepare`, or a file with one token on each line.", valueName: "file"))
    var tokens: String?
    @Option(help: "Rows of a page. (default: the server's, usually 1000)") var pageSize: Int?

    func plan(_ profile: LoadProfile) throws -> LoadPlan {
        var plan = LoadPlan(target: url, profile: profile)
        let file = try tokens.map(LoadTokenFile.init(path:))
        guard let project = project ?? file?.project, RowID.isValid(project) else {
            throw ValidationError("Give --project, or a --tokens file from `tidemark load prepare`.")
        }
        plan.project = project
        plan.tokens = token + (file?.tokens ?? [])
        plan.pageSize = pageSize
        let variable = Variables.value(of: TokenOptions.variable, in: ProcessInfo.processInfo.environment)
        if plan.tokens.isEmpty, let variable { plan.tokens = [variable] }
        guard !plan.tokens.isEmpty else {
            throw ValidationError("Give --tokens or --token, or set \(TokenOptions.variable).")
        }
        return plan
    }

    static func target(_ text: String) throws -> LoadTarget {
        guard let target = LoadTarget(text) else { throw ValidationError("\(text) is not an http URL.") }
        return target
    }
}

/// A file of tokens: the JSON that `load prepare` printed, or one token on each line.
struct LoadTokenFile {
    let project: String?
    let tokens: [String]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError("Can't read the token file \(path). Check the path.")
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
