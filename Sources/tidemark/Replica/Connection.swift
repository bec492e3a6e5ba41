import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncServer
import Synchronization

/// The options that `pull`, `push` and `sync` share: a replica, and what it holds of a server.
struct Connection: ParsableArguments {
    @Argument(help: "The server's URL.") var url: String
    @Option(help: "The project's id.") var project: String?
    @Flag(help: "Instead of one project: all projects that you are a member of, in one replica.") var all = false
    @OptionGroup var token: TokenOptions
    @Option(help: ArgumentHelp("The replica's file. It is created if it is missing.", valueName: "file"))
    var replica: String
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the machine's, as PEM.", valueName: "file"))
    var ca: String?
    @Option(
        help: ArgumentHelp(
            "Hold only the part that this filter has, as JSON; {} is everything. It is kept for later runs.",
            discussion: "docs/parts.md shows filters. Rows with unsent edits stay until these are answered.",
            valueName: "file"))
    var filter: String?
    @Option(help: "Rows of a page. (default: the server's)") var pageSize: Int?
    @Option(help: ArgumentHelp("A name for this device, for people. (default: the machine's)", valueName: "name"))
    var deviceName: String?
    @Flag(help: "Keep running until stopped.") var watch = false
    @Flag(help: "Print what was done as JSON.") var json = false

    func validate() throws {
        guard all != (project != nil) else {
            throw ValidationError("Give either --project ID, or --all for all projects that you are a member of.")
        }
        if let pageSize, pageSize < 1 { throw ValidationError("--page-size must be at least 1.") }
    }

    /// Throws exit status 3 if the server did not take some edits.
    func run(_ direction: SyncDirection) async throws {
        let bar = ProgressBar()
        let outage = Outage(of: url) { Terminal.message($0) }
        let value = try token.value()
        let transport = AsyncHTTPClientTransport(
            authorities: try CertificateAuthorities(named: ca), onSilence: outage.silent)
        let result: Result<SyncReport, any Error>
        do {
            result = .success(try await sync(direction, token: value, transport: transport, bar: bar, outage: outage))
        } catch {
            bar.clear()
            result = .failure(CommandError(sentence(of: error)))
        }
        try? await transport.shutdown()
        let report = try result.get()
        try json ? Terminal.result(json: report.json) : Terminal.result(report.result)
        if let trouble = report.filesTrouble { throw CommandError("Files wait until the next sync. \(trouble)") }
        if report.hasRefusals { throw ExitCode(3) }
    }

    private func sync(
        _ direction: SyncDirection, token: String, transport: AsyncHTTPClientTransport, bar: ProgressBar, outage: Outage
    ) async throws -> SyncReport {
        let scope = project.map(SyncScope.project) ?? .allProjects
        let remote = try Remote(url: url, scope: scope, token: token)
        var (replica, earlier) = try await opened(scope, token: token, transport: transport)
        if let filter { try replica.hold(part(in: filter)) }
        let syncer = try Syncer(remote: remote, transport: transport, replica: replica, options: options)
        var news = try RefusalNews(replica)
        let show = { (progress: SyncProgress) in
            if case .waiting = progress { bar.clear() }
            outage.note(progress)
            bar.show(progress)
        }
        let tell = { (outcome: SyncOutcome) throws -> SyncReport in
            outage.end()
            let report = SyncReport(
                outcome: outcome, refused: earlier + (try news.next(after: outcome)),
                hasParts: try !replica.parts.list().isEmpty)
            earlier = []
            bar.finish(report.sentence)
            for edit in report.refused { Terminal.message(edit.sentence) }
            if report.hasRefusals { Terminal.message(RefusedEdit.advice(self.replica)) }
            return report
        }
        if watch {
            var hasTold = false
            try await syncer.watch(direction, renewing: self.token.renewal, progress: show, onState: outage.note) {
                if !hasTold || $0.isNews { _ = try? tell($0) } else { outage.end() }
                hasTold = true
            }
        }
        return await sendingFiles(after: try tell(await syncer.once(direction, progress: show)), direction, syncer)
    }

    /// Sends files after what was synced, and says so. What goes wrong with them takes nothing back.
    private func sendingFiles(after report: SyncReport, _ direction: SyncDirection, _ syncer: Syncer) async
        -> SyncReport
    {
        guard direction != .pull else { return report }
        var report = report
        do {
            let files = try await syncer.sendFiles()
            for sentence in files.sentences { Terminal.message(sentence) }
            if files.stored > 0, direction == .both { _ = try await syncer.pull() }
            report.files = files
        } catch { report.filesTrouble = sentence(of: error) }
        return report
    }

    private var options: SyncOptions {
        var options = SyncOptions(pageSize: pageSize)
        options.lookForEdits = .milliseconds(20)
        options.device = DeviceInfo(name: deviceName ?? DeviceInfo.machine, appVersion: "tidemark \(Release.version)")
        return options
    }

    /// Opens the replica. With --all, one of a single project becomes one of all projects. If a batch was sent to the
    /// project and not answered, everything unsent is sent there first. Returns the edits that were refused then.
    private func opened(
        _ scope: SyncScope, token: String, transport: AsyncHTTPClientTransport
    ) async throws -> (Replica, refused: [RefusedEdit]) {
        do {
            return (try Replica(path: replica, scope: scope), [])
        } catch ReplicaError.otherScope(_, .project(let project), .allProjects) {
            let replica = try Replica(existing: self.replica)
            var refused: [RefusedEdit] = []
            if try replica.hasWaitingBatch() {
                let remote = try Remote(url: url, project: project, token: token)
                var news = try RefusalNews(replica)
                let syncer = try Syncer(remote: remote, transport: transport, replica: replica, options: options)
                let outcome = SyncOutcome(pushed: try await syncer.push())
                refused = try news.next(after: outcome)
                let report = SyncReport(outcome: outcome, refused: refused)
                Terminal.message("Project \(project): \(report.sentence)")
            }
            try replica.widen()
            Terminal.message(
                "\(self.replica) was a replica of project \(project). "
                    + "It holds all your projects now, and reads them again.")
            return (replica, refused)
        }
    }

    /// The filter in a file.
    private func part(in path: String) throws -> PartFilter {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandError(
                "\(path) can't be read. Name a file with a filter, such as {\"tasks\": [{\"assignee\": \"@me\"}]}.")
        }
        do {
            return try PartFilter(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandError("\(path): \(error)")
        }
    }

    /// What went wrong, and what the user of this command can do about it.
    func sentence(of error: any Error) -> String {
        switch error {
        case SyncError.transport(.untrusted(.unknownIssuer)) where ca == nil:
            "\(error) If it is your own authority, name its certificate: --ca FILE."
        case SyncError.transport(.untrusted(.unknownIssuer)):
            "\(error) Check that --ca names the authority's certificate, and that this is the right server."
        case SyncError.refused(401, "clock_off", let detail): detail
        case SyncError.refused(401, let code, _) where !code.isEmpty:
            "The server refuses the token: it is wrong, expired or revoked. `tidemark token create` makes a new one."
        case SyncError.refused(404, _, _) where all:
            "\(error) Check the URL. A server of a version before --all has only --project."
        case is SyncError, is ReplicaError, is PartError, is FileError, is CommandError: "\(error)"
        case is CancellationError: "Stopped."
        default: "Something unexpected failed. The replica is as it was after the last page or batch. Try again."
        }
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

extension Replica {
    /// The name of the part that the command line gives.
    private static let part = "tidemark"

    /// Holds the filter's part from the next sync on, beside parts that an app has added.
    fileprivate func hold(_ filter: PartFilter) throws {
        if filter.isEverything { try parts.remove(Self.part) } else { try parts.add(Self.part, filter) }
    }
}

struct SyncCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Pull, push, and pull the result of the push.",
        discussion: """
            With --watch it runs until stopped, and sends edits of `tidemark row` and `tidemark task` as they are \
            made. Prints the commit number that the replica has reached. If the server refuses edits, they are \
            listed and kept, and the exit status is 3: see `tidemark refused`. The token is read from TIDEMARK_TOKEN \
            or --token-file.
            Example: tidemark sync http://127.0.0.1:8080 --all --replica mine.replica --watch
            Example: tidemark sync http://127.0.0.1:8080 --project 3f6c… --replica plan.replica --watch
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.both) }
}

struct PullCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Copy a project, or all of them, into a local SQLite replica, as a phone does.",
        discussion: """
            You can stop it at any time. The next run continues where it stopped. Prints the commit number that the \
            replica has reached. The token is read from TIDEMARK_TOKEN or --token-file. With --all instead of \
            --project, one replica holds all projects that you are a member of; a replica of one project becomes one \
            of all, and keeps its unsent edits.
            Example: tidemark pull http://127.0.0.1:8080 --all --replica mine.replica
            Example: tidemark pull http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.pull) }
}

struct PushCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Send the edits that were made in a replica.",
        discussion: """
            If a push is stopped or gets no answer, the next push repeats it, and nothing is done twice. Prints the \
            number of rows that the server took. If the server refuses edits, they are listed and kept, and the exit \
            status is 3: see `tidemark refused`. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark push http://127.0.0.1:8080 --all --replica mine.replica
            Example: tidemark push http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.push) }
}

/// Says when a server stops answering and when it answers again, once each. Any thread may call it.
final class Outage: Sendable {
    private let url: String
    private let say: @Sendable (String) -> Void
    private let isAway = Mutex(false)
    private let way = Mutex<WatchState?>(nil)

    init(of url: String, say: @escaping @Sendable (String) -> Void) {
        self.url = url
        self.say = say
    }

    /// A request has been waiting for its answer.
    func silent() { begin("The server at \(url) does not answer; still trying …") }

    func note(_ progress: SyncProgress) {
        switch progress {
        case .waiting(let trouble) where trouble.hasAnswered:
            begin("The server at \(url) can't serve this now; trying again … \(trouble.reason)")
        case .waiting(let trouble): begin("The server at \(url) does not answer; trying again … \(trouble.reason)")
        case .pulled, .pushed: end()
        }
    }

    /// Says how a watch hears of changes, when that is new.
    func note(_ state: WatchState) {
        if case .disconnected(let trouble, _) = state { return note(.waiting(trouble)) }
        end()
        guard way.exchange(state) != state else { return }
        switch state {
        case .events: say("Listening to events of \(url): changes arrive at once.")
        case .waitingPulls(.heldBack):
            say(
                "A proxy between here and \(url) holds back events, so pulls wait for changes instead. They arrive as "
                    + "quickly. How to set up the proxy: docs/operations/https-and-proxies.md, "
                    + "“Behind a reverse proxy”.")
        case .waitingPulls(let reason): say("Pulls wait for changes of \(url), instead of events. \(reason)")
        case .disconnected: break
        }
    }

    /// The server has answered.
    func end() {
        if isAway.exchange(false) { say("The server at \(url) answers again.") }
    }

    private func begin(_ sentence: String) {
        if !isAway.exchange(true) { say(sentence) }
    }
}

extension Mutex where Value: Sendable {
    /// Sets a new value and returns the old one.
    fileprivate func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}

/// The refused edits that each round of a sync adds.
struct RefusalNews {
    private let replica: Replica
    private var last: Int64

    init(_ replica: Replica) throws {
        self.replica = replica
        last = try replica.setAside().last?.number ?? 0
    }

    /// The edits that were refused since the last round. Edits that are kept unsent
    /// are repeated only if a push was refused again; a pull does not repeat them.
    mutating func next(after outcome: SyncOutcome) throws -> [RefusedEdit] {
        let aside = try replica.setAside(after: last)
        last = aside.last?.number ?? last
        let held = outcome.pushed?.refused ?? 0 > 0 ? try replica.refused() : []
        return held.map { RefusedEdit($0, in: replica) } + aside.flatMap { RefusedEdit.of($0, in: replica) }
    }
}
