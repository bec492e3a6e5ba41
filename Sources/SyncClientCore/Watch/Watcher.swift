import GRDB
import SyncProtocol
import Synchronization

/// Carries out what `WatchLoop` decides, until the task is cancelled or an error ends the watch.
///
/// The loop runs in the caller's task, and so do the callbacks. Requests run in tasks of their own, which report to the
/// loop through a queue.
struct Watcher {
    /// What the tasks report. `stream` and `token` tell which stream, and a request with which token, it is about:
    /// reports of a stream that was closed, and refusals of a token that was replaced, mean nothing.
    private enum Report: Sendable {
        case stream(Int, token: Int, WatchLoop.Event, lastID: String?)
        case progress(SyncProgress)
        case finished(Result<(outcome: SyncOutcome, hasMore: Bool), any Error>, token: Int, done: SyncOutcome)
        case edited
        case partsChanged
        case renewed(Result<String?, any Error>)
        case failed(any Error)
        case alarm
    }

    private let direction: SyncDirection
    private let renewing: (@Sendable () async throws -> String?)?
    private let environment: SyncEnvironment
    private let lookForEdits: Duration
    private var syncer: Syncer
    private var loop: WatchLoop
    private let reports: AsyncStream<Report>
    private let queue: AsyncStream<Report>.Continuation

    private var streamTask: Task<Void, Never>?
    private var streamNumber = 0
    private var workTask: Task<Void, Never>?
    private var renewTask: Task<Void, Never>?
    private var fileTask: Task<Void, Never>?
    private var alarmTask: (time: Duration, task: Task<Void, Never>)?
    private var token = 0
    private var lastEvent: String?
    /// What works have done that failed since the last round.
    private var untold = SyncOutcome()

    init(
        _ syncer: Syncer, direction: SyncDirection, options: SyncOptions, environment: SyncEnvironment,
        times: WatchTimes, renewing: (@Sendable () async throws -> String?)?
    ) {
        self.syncer = syncer
        self.direction = direction
        self.renewing = renewing
        self.environment = environment
        lookForEdits = options.lookForEdits
        loop = WatchLoop(direction, canRenew: renewing != nil, times: times, seed: environment.seed())
        (reports, queue) = AsyncStream.makeStream()
    }

    mutating func run(
        _ progress: (SyncProgress) -> Void, onState: (WatchState) -> Void, onRound: (SyncOutcome) -> Void
    ) async throws -> Never {
        let editTask = direction == .pull ? nil : try watchEdits()
        try exchangeFiles()
        let result: any Error
        do {
            try await follow(progress, onState: onState, onRound: onRound)
            result = CancellationError()
        } catch { result = error }
        if untold.hasNews { onRound(untold) }
        let tasks = [editTask, fileTask, streamTask, workTask, renewTask, alarmTask?.task].compactMap { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        throw result
    }

    private mutating func follow(
        _ progress: (SyncProgress) -> Void, onState: (WatchState) -> Void, onRound: (SyncOutcome) -> Void
    ) async throws {
        try perform(loop.start(at: environment.now()), onState)
        for await report in reports {
            try Task.checkCancellation()
            if case .progress(let step) = report { progress(step) }
            if let round = round(report) { onRound(round) }
            guard let event = try event(report) else { continue }
            try perform(loop.handle(event, at: environment.now()), onState)
        }
    }

    /// The round that ends with the report. What a work has done that failed goes into the next one.
    private mutating func round(_ report: Report) -> SyncOutcome? {
        guard case .finished(let result, _, var done) = report else { return nil }
        guard case .success(let end) = result else {
            done.pulled?.isSettled = false
            if done.hasNews { untold += done }
            return nil
        }
        defer { untold = SyncOutcome() }
        return untold + end.outcome
    }

    /// What the report means for the loop. Throws what ends the watch.
    private mutating func event(_ report: Report) throws -> WatchLoop.Event? {
        switch report {
        case .stream(let number, let token, let event, let lastID):
            guard number == streamNumber else { return nil }
            lastEvent = lastID ?? lastEvent
            if case .refused(_, 401) = event, token != self.token { return .ended(.interrupted("the token is new")) }
            return event
        case .progress(.waiting(let trouble)): return .trouble(trouble)
        case .progress: return .progress
        case .finished(.success(let end), _, _): return .finished(.done(end.outcome, hasMore: end.hasMore))
        case .finished(.failure(is CancellationError), _, _): return .finished(.cancelled)
        case .finished(.failure(let error), let token, _):
            guard case SyncError.refused(401, _, _) = error, let error = error as? SyncError else { throw error }
            return .finished(token == self.token ? .unauthorized(error) : .cancelled)
        case .edited: return .edited
        case .partsChanged: return .partsChanged
        case .renewed(let result):
            renewTask = nil
            guard let new = try result.get(), syncer.use(token: new) else { return .renewed(false) }
            token += 1
            try exchangeFiles()
            return .renewed(true)
        case .failed(let error): throw error
        case .alarm:
            alarmTask = nil
            return .alarm
        }
    }

    private mutating func perform(_ actions: [WatchLoop.Action], _ onState: (WatchState) -> Void) throws {
        for action in actions {
            switch action {
            case .open: open()
            case .close:
                streamNumber += 1
                streamTask?.cancel()
            case .begin(let work): begin(work)
            case .cancel: workTask?.cancel()
            case .renew: renew()
            case .tell(let state): onState(state)
            case .fail(let error): throw error
            }
        }
        setAlarm()
    }

    private mutating func setAlarm() {
        guard alarmTask?.time != loop.alarm else { return }
        alarmTask?.task.cancel()
        alarmTask = loop.alarm.map { time in
            let environment = environment
            let queue = queue
            let pause = max(time - environment.now(), .zero)
            let task = Task {
                guard (try? await environment.sleep(pause)) != nil else { return }
                queue.yield(.alarm)
            }
            return (time, task)
        }
    }
}

// MARK: The tasks

extension Watcher {
    private mutating func open() {
        streamNumber += 1
        streamTask?.cancel()
        let queue = queue
        let number = streamNumber
        let token = token
        let reader = EventReader(session: syncer.session, lastEvent: lastEvent)
        streamTask = Task {
            await reader.run { queue.yield(.stream(number, token: token, $0, lastID: $1)) }
        }
    }

    private mutating func begin(_ work: WatchLoop.Work) {
        let queue = queue
        let token = token
        let tally = SyncTally()
        let syncer = syncer.counting(in: tally)
        let direction = direction
        workTask = Task {
            let result: Result<(outcome: SyncOutcome, hasMore: Bool), any Error>
            do {
                let outcome = try await syncer.run(work, direction: direction) { queue.yield(.progress($0)) }
                result = .success((outcome, try syncer.session.replica.hasSomethingToSend()))
            } catch { result = .failure(error) }
            queue.yield(.finished(result, token: token, done: tally.total))
        }
    }

    private mutating func renew() {
        guard let renewing else { return }
        let queue = queue
        renewTask = Task {
            let result: Result<String?, any Error>
            do { result = .success(try await renewing()) } catch { result = .failure(error) }
            if !Task.isCancelled { queue.yield(.renewed(result)) }
        }
    }

    /// Looks for edits and for other parts, also of other processes.
    private func watchEdits() throws -> Task<Void, Never> {
        let queue = queue
        let environment = environment
        let pause = lookForEdits
        let replica = syncer.session.replica
        let ear = try ReplicaEar(path: replica.path)
        return Task {
            do {
                var wanted: PartFilter?
                while true {
                    if try ear.hasHeard() {
                        if try replica.hasSomethingToSend() { queue.yield(.edited) }
                        let changed = try replica.parts.changed()
                        if changed != nil, changed != wanted { queue.yield(.partsChanged) }
                        wanted = changed
                    }
                    try await environment.sleep(pause)
                }
            } catch {
                if !(error is CancellationError) { queue.yield(.failed(error)) }
            }
        }
    }
}

extension Watcher {
    /// Sends and reads files beside the syncs, with the present token.
    private mutating func exchangeFiles() throws {
        fileTask?.cancel()
        fileTask = try syncer.exchangingFiles(direction)
    }
}

/// Notices that somebody has written to a replica, in this process or in another. A look costs microseconds.
final class ReplicaEar: Sendable {
    private let queue: DatabaseQueue
    private let last = Mutex<Int64?>(nil)

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        queue = try ReplicaError.naming(path) { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Whether anything was committed since the last call. True the first time.
    ///
    /// `data_version` changes when another connection commits: https://sqlite.org/pragma.html#pragma_data_version
    func hasHeard() throws -> Bool {
        let version = try queue.inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
