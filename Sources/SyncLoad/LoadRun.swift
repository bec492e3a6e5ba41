import Foundation
import NIOCore
import NIOPosix
import SyncProtocol
import Synchronization

/// Carries out a plan: reads what must be known first, runs the load, and checks what it left behind.
package struct LoadRun: Sendable {
    private let plan: LoadPlan
    /// The prefix of the ids that the run uploads.
    private let mark: String

    package init(_ plan: LoadPlan) {
        self.plan = plan
        mark = "load-\(String(UInt32.random(in: .min ... .max), radix: 16))"
    }

    /// Runs the load. Returns when it is over. `onProgress` is called a few times a second.
    ///
    /// Throws a `LoadError` when the server can't be reached or refuses the first request. Later mistakes
    /// of the server are in the report.
    package func run(onProgress: @escaping @Sendable (LoadProgress) -> Void = { _ in }) async throws -> LoadReport {
        try plan.check()
        try FileLimit.raise(for: plan.clients)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: plan.threads)
        do {
            let report = try await run(on: group, onProgress)
            try await group.shutdownGracefully()
            return report
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private func run(
        on group: MultiThreadedEventLoopGroup, _ onProgress: @escaping @Sendable (LoadProgress) -> Void
    ) async throws -> LoadReport {
        let fetch = Fetch(target: plan.target, loop: group.next())
        if plan.profile == .storm { try await fetch.awaitServer(patience: plan.patience) }
        let own = try await ownCollections(fetch)
        let circumstances = LoadCircumstances(
            version: await version(fetch), time: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        let learned = plan.profile.needsHead ? try await drain(on: group, own) : nil
        let brief = GroupBrief(
            plan: plan, clients: [], own: own, mark: mark, watermark: learned?.timestamp ?? 0)
        var result = try await work(brief, on: group, onProgress)
        if let learned { result.takeChecks(of: learned) }
        if plan.profile.writes {
            let last = try await drain(on: group, own)
            result.takeChecks(of: last)
            result.checkUploads(in: last)
        }
        return LoadReport(plan, result: result, circumstances: circumstances)
    }

    /// The server's version. It is in the metrics, which the server shows only to its own machine; nil elsewhere.
    private func version(_ fetch: Fetch) async -> String? {
        guard plan.profile != .get else { return nil }
        let path = String(plan.target.base.dropLast("/api/v1".count)) + "/metrics"
        guard let answer = try? await fetch.get(path, token: plan.tokens[0]), answer.status == 200 else { return nil }
        let lines = String(buffer: answer.body).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("tidemark_build_info{") }
        return line?.split(separator: "version=\"").last?.split(separator: "\"").first.map(String.init)
    }

    /// The names of the own-only collections: each user sees only their own rows of these.
    private func ownCollections(_ fetch: Fetch) async throws -> [String] {
        guard plan.profile != .get else { return [] }
        let answer = try await fetch.get(plan.target.base + "/schemas/", token: plan.tokens[0])
        let json = try? JSON(parsing: answer.body.readableBytesView)
        guard answer.status == 200, let collections = json?["collections"]?.array else {
            let detail = json?["detail"]?.string ?? ""
            throw LoadError("The server answered \(answer.status) to /schemas/. \(detail)")
        }
        return collections.filter { $0["x-visibility"]?["own"] != nil }.compactMap { $0["title"]?.string }
    }

    /// One drain, inspected row by row.
    private func drain(on group: MultiThreadedEventLoopGroup, _ own: [String]) async throws -> GroupResult {
        var single = plan
        single.profile = .coldStart
        single.extent = .actions(1)
        single.rate = nil
        single.warmUp = 0
        single.clients = 1
        single.threads = 1
        let brief = GroupBrief(plan: single, clients: [], own: own, mark: mark, watermark: 0)
        let result = try await work(brief, on: group) { _ in }
        guard result.prints.inspectedDrains > 0 else {
            let mistake = result.mistakes.entries.first
            throw LoadError("The project can't be read. \(mistake?.what ?? "") \(mistake?.example ?? "")")
        }
        return result
    }

    private func work(
        _ brief: GroupBrief, on group: MultiThreadedEventLoopGroup,
        _ onProgress: @escaping @Sendable (LoadProgress) -> Void
    ) async throws -> GroupResult {
        let board = ProgressBoard()
        let watcher = Task { await watch(board, onProgress) }
        defer { watcher.cancel() }
        let groups = (0..<min(brief.plan.threads, brief.plan.clients)).map { index in
            let part = brief.part(index, of: brief.plan.threads)
            let loop = group.next()
            return loop.flatSubmit { ClientGroup(part, on: loop, board).run() }
        }
        do {
            let results = try await EventLoopFuture.whenAllSucceed(groups, on: group.next()).get()
            return results.dropFirst().reduce(into: results[0]) { $0 += $1 }
        } catch {
            throw LoadError.unreachable(plan.target, error)
        }
    }

    private func watch(_ board: ProgressBoard, _ onProgress: @Sendable (LoadProgress) -> Void) async {
        let start = NIODeadline.now()
        while !Task.isCancelled {
            var progress = board.now
            progress.seconds = Double((NIODeadline.now() - start).nanoseconds) / 1e9
            onProgress(progress)
            try? await Task.sleep(for: .milliseconds(200))
        }
    }
}

extension GroupBrief {
    /// The instructions for one of several groups.
    fileprivate func part(_ index: Int, of count: Int) -> GroupBrief {
        GroupBrief(
            plan: plan, clients: Array(stride(from: index, to: plan.clients, by: count)), own: own, mark: mark,
            watermark: watermark)
    }
}

extension GroupResult {
    /// Adds what was checked before or after the load, without its measurements.
    fileprivate mutating func takeChecks(of other: GroupResult) {
        prints += other.prints
        mistakes += other.mistakes
    }

    /// All acknowledged rows must be there, and no rows of this run that were never sent.
    fileprivate mutating func checkUploads(in last: GroupResult) {
        guard last.markedRows < acknowledgedRows || last.markedRows > sentRows else { return }
        mistakes.note(
            "Uploaded rows are missing from a drain after the run.",
            "\(last.markedRows) there, \(acknowledgedRows) acknowledged, \(sentRows) sent")
    }
}

/// The instructions for the clients of one event loop.
struct GroupBrief: Sendable {
    let plan: LoadPlan
    /// The numbers of these clients among all clients of the run.
    let clients: [Int]
    /// The names of own-only collections.
    let own: [String]
    /// The prefix of the ids that the run uploads.
    let mark: String
    /// The watermark with which the clients begin.
    let watermark: Int64
}

/// The results of the clients of one event loop.
struct GroupResult: Sendable {
    var measurements: Measurements
    var prints = DrainHashes()
    var mistakes = Mistakes()
    /// Rows of the uploads that were answered 200, and rows of all uploads that were sent.
    var acknowledgedRows = 0
    var sentRows = 0
    var polls = 0
    /// Drains during which somebody wrote.
    var uncounted = 0
    var uploads = 0
    /// How many rows of the run's own uploads the last inspected drain had.
    var markedRows = 0
    var timestamp: Int64 = 0

    static func += (left: inout Self, right: Self) {
        left.measurements += right.measurements
        left.prints += right.prints
        left.mistakes += right.mistakes
        left.acknowledgedRows += right.acknowledgedRows
        left.sentRows += right.sentRows
        left.polls += right.polls
        left.uncounted += right.uncounted
        left.uploads += right.uploads
        left.markedRows = max(left.markedRows, right.markedRows)
        left.timestamp = max(left.timestamp, right.timestamp)
    }
}

/// The progress of all event loops, for whoever displays it.
final class ProgressBoard: Sendable {
    private let state = Mutex(LoadProgress())

    var now: LoadProgress { state.withLock { $0 } }

    func add(requests: Int, mistakes: Int, finishedClients: Int) {
        state.withLock {
            $0.requests += requests
            $0.mistakes += mistakes
            $0.finishedClients += finishedClients
        }
    }
}

/// How far a run has come.
package struct LoadProgress: Sendable, Equatable {
    package var requests = 0
    package var mistakes = 0
    /// How many clients have nothing left to do.
    package var finishedClients = 0
    /// Seconds since the clients began.
    package var seconds = 0.0
}

/// The limit on open files, since each client takes a file descriptor.
enum FileLimit {
    /// The number of files that the process needs besides its clients.
    private static let others = 64

    /// Raises the soft limit if it is too low. Throws what to do if the hard limit is too low.
    static func raise(for clients: Int) throws(LoadError) {
        let needed = rlim_t(clients + others)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return }
        let allowed = limit.rlim_cur
        limit.rlim_cur = min(needed, limit.rlim_max)
        guard limit.rlim_max >= needed, setrlimit(resource, &limit) == 0 else {
            throw LoadError(
                "\(clients) clients need \(needed) open files, and the limit is \(allowed). "
                    + "Raise it: ulimit -n \(needed)"
            )
        }
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
