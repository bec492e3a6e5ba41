import Foundation
import SyncProtocol
import Synchronization

/// Syncs one project, or all projects of a user, with one replica. `docs/swift-app.md` walks through an app.
///
/// ```swift
/// let remote = try Remote(url: "https://tidemark.example.org", scope: .allProjects, token: token)
/// let replica = try Replica(path: path, scope: .allProjects)
/// let outcome = try await Syncer(remote: remote, transport: .urlSession, replica: replica).sync()
/// ```
///
/// After `sync()` the replica is settled: it shows everything that the caller may see at one commit
/// (`ReplicaState.settled`; see `pull` for the one exception). The only unsent rows left are new rows that the
/// server refused to create, and rows of collections that it takes no edits of any more (`Replica.refused()`). Edits
/// that the server did not accept are in `Replica.setAside()`. Edits may be made during a sync, in this process or in
/// another. Several processes may sync one replica.
///
/// A replica of all projects belongs to the first user who syncs it; with another user's token all methods throw
/// `ReplicaError.otherUser`. If something was made in it before anybody had logged in, the first sync throws
/// `ReplicaError.unclaimedEdits`: ask the user whose it is. All methods throw `SyncError`, `ReplicaError`, SQLite's
/// errors, and `CancellationError`. What was done until then is kept, and the next call continues from there.
public struct Syncer: Sendable {
    /// The most pulls that one push may need. After these the server counts as broken.
    private static let pullLimit = 3

    private(set) var session: Session
    let options: SyncOptions
    private(set) var owner = OwnerCheck()

    /// Makes a syncer; sends nothing. Throws `ReplicaError.otherProject` or `otherScope` when the replica is not one of
    /// what `remote` serves.
    public init(
        remote: Remote, transport: any Transport, replica: Replica, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment = .live
    ) throws {
        try ReplicaError.check(replica.path, replica.state().scope, isOf: remote.scope)
        session = Session(
            remote: remote, transport: transport, replica: replica, environment: environment, device: options.device)
        self.options = options
    }

    /// Fetches changes. On return the replica is settled: it shows all that the caller may see at the commit
    /// `timestamp` of the outcome, which includes everything committed before the call, and unsent edits on top. Until
    /// then it shows the last settled state, if there was one.
    ///
    /// If others write during each drain, the pull asks again, after three drains for everything in one answer. Where
    /// that is refused, too, it returns after eight drains with `PullOutcome.isSettled` false.
    public func pull(progress: (SyncProgress) -> Void = { _ in }) async throws -> PullOutcome {
        try await pull(options, progress)
    }

    /// Sends unsent edits, including rows that were refused before. If the server refuses the upload because the
    /// watermark is too old, or because it takes no edits of a collection any more, this pulls and tries again.
    public func push(progress: (SyncProgress) -> Void = { _ in }) async throws -> PushOutcome {
        try session.replica.retryRefused()
        return try await push(options, progress).pushed ?? PushOutcome()
    }

    /// Pulls, pushes, and pulls the result of the push. If the server refuses the filter of the replica's parts
    /// (`invalid_filter`), what is unsent is pushed before the error is thrown.
    public func sync(progress: (SyncProgress) -> Void = { _ in }) async throws -> SyncOutcome {
        try session.replica.retryRefused()
        return try await round(.both, options: options, outlastsRefusal: false, progress: progress)
    }

    /// Syncs whenever something changes here or on the server, until the task is cancelled or an error ends it.
    ///
    /// The server tells of changes: by events or, where these do not get through, by waiting pulls. Edits made here
    /// are sent as soon as they are noticed (`SyncOptions.lookForEdits`). Network failures, busy servers and restarts
    /// are outlasted without end, and nothing is missed meanwhile. If the caller's role allows no edits, pulls go on.
    ///
    /// `renewing` returns a new token, or nil or the same one if there is none. It is called 30 seconds before the
    /// token ends and when the server refuses it. Without a new one a refused token ends the watch with
    /// `SyncError.refused`, status 401. An error of `renewing` ends it too.
    ///
    /// `onState` is called when the way changes in which the client hears of the server, `onRound` after each sync.
    public func watch(
        _ direction: SyncDirection = .both, renewing: (@Sendable () async throws -> String?)? = nil,
        progress: (SyncProgress) -> Void = { _ in }, onState: (WatchState) -> Void = { _ in },
        onRound: (SyncOutcome) -> Void = { _ in }
    ) async throws -> Never {
        try await watch(
            direction, times: WatchTimes(), renewing: renewing, progress: progress, onState: onState, onRound: onRound)
    }

    func watch(
        _ direction: SyncDirection, times: WatchTimes, renewing: (@Sendable () async throws -> String?)? = nil,
        progress: (SyncProgress) -> Void = { _ in }, onState: (WatchState) -> Void, onRound: (SyncOutcome) -> Void
    ) async throws -> Never {
        try session.replica.retryRefused()
        var watcher = Watcher(
            self, direction: direction, options: options, environment: session.environment, times: times,
            renewing: renewing)
        try await watcher.run(progress, onState: onState, onRound: onRound)
    }

    /// A watch, as the sequence of what it does: `for try await round in syncer.rounds() { … }`. It watches as `watch`
    /// does, with the same errors, as long as somebody reads.
    ///
    /// A reader that is slow gets several syncs as one round. Lost projects (`PullOutcome.left`), rows set aside and
    /// all counts of each are in it.
    public func rounds(
        _ direction: SyncDirection = .both, renewing: (@Sendable () async throws -> String?)? = nil
    ) -> SyncRounds {
        SyncRounds { tell in
            try await watch(
                direction, renewing: renewing, onState: { tell(SyncRound(state: $0)) },
                onRound: { tell(SyncRound(outcome: $0)) })
        }
    }

    /// Syncs again and again, until the task is cancelled or an error ends it. Asks at intervals: `watch` without an
    /// interval learns of changes at once, with fewer requests.
    ///
    /// The next round starts at once when there is something to do; otherwise after `interval`, or earlier when
    /// something is edited here. Network failures and busy servers are retried without end. If the caller's role allows
    /// no edits, pulls go on. `onRound` is called after each round.
    public func watch(
        _ direction: SyncDirection = .both, every interval: Duration,
        progress: (SyncProgress) -> Void = { _ in }, onRound: (SyncOutcome) -> Void = { _ in }
    ) async throws -> Never {
        try session.replica.retryRefused()
        var patient = options
        patient.patience = nil
        var last: PullOutcome?
        let files = try exchangingFiles(direction)
        defer { files.cancel() }
        while true {
            let outcome = try await round(direction, options: patient, outlastsRefusal: true, progress: progress)
            onRound(outcome)
            // If the head stays ahead and the watermark does not move, this would be a busy loop.
            let isAhead = outcome.pulled.map { $0.isBehind && $0.timestamp != last?.timestamp } ?? false
            if !isAhead { try await wait(interval, direction, sendsEdits: outcome.refusal == nil) }
            last = outcome.pulled ?? last
        }
    }
}

extension Syncer {
    /// Counts what is done from now on.
    func counting(in tally: SyncTally) -> Syncer {
        var counting = self
        counting.session.tally = tally
        return counting
    }

    /// Does one work of a watch. It is repeated without end while the server can't be reached.
    func run(
        _ work: WatchLoop.Work, direction: SyncDirection, progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        var patient = options
        patient.patience = nil
        switch work {
        case .sync: return try await round(direction, options: patient, outlastsRefusal: true, progress: progress)
        case .pull(let hold): return SyncOutcome(pulled: try await pull(patient, hold: hold, progress))
        case .send where direction == .push: return try await push(patient, progress)
        case .send:
            return try await pushAndPull(SyncOutcome(), options: patient, outlastsRefusal: true, progress: progress)
        }
    }

    /// Uses another token from now on. Returns false if it is the same.
    mutating func use(token: String) -> Bool {
        let remote = session.remote.with(token: token)
        guard remote.token != session.remote.token else { return false }
        session.remote = remote
        session.firstPull = FirstPull()
        owner = OwnerCheck()
        return true
    }

    private func round(
        _ direction: SyncDirection, options: SyncOptions, outlastsRefusal: Bool,
        progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        switch direction {
        case .pull: return SyncOutcome(pulled: try await pull(options, progress))
        case .push: return try await push(options, progress)
        case .both:
            let pulled = SyncOutcome(pulled: try await pullBeforePush(options, progress))
            return try await pushAndPull(pulled, options: options, outlastsRefusal: outlastsRefusal, progress: progress)
        }
    }

    /// Pulls. What is unsent does not wait until somebody corrects a filter.
    private func pullBeforePush(
        _ options: SyncOptions, _ progress: (SyncProgress) -> Void
    ) async throws -> PullOutcome {
        do {
            return try await pull(options, progress)
        } catch let refusal as SyncError {
            if case .refused(_, "invalid_filter", _) = refusal { _ = try await push(options, progress) }
            throw refusal
        }
    }

    private func pushAndPull(
        _ before: SyncOutcome, options: SyncOptions, outlastsRefusal: Bool, progress: (SyncProgress) -> Void
    ) async throws -> SyncOutcome {
        var outcome = before
        do {
            outcome += try await push(options, progress)
        } catch SyncError.refused(403, let code, let detail) where outlastsRefusal {
            outcome.refusal = .refused(status: 403, code: code, detail: detail)
        }
        if outcome.pushed?.isWorthAPull ?? false {
            outcome += SyncOutcome(pulled: try await pull(options, progress))
        }
        return outcome
    }

    private func pull(
        _ options: SyncOptions, hold: Int = 0, _ progress: (SyncProgress) -> Void
    ) async throws -> PullOutcome {
        try await owner.run(session, options: options, progress: progress)
        return try await Puller(session: session).pull(options, hold: hold, progress)
    }

    /// Pushes. A replica without a watermark is pulled first: it is incomplete, and can't say
    /// which state its edits are based on.
    private func push(_ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws -> SyncOutcome {
        var outcome = SyncOutcome(pushed: PushOutcome())
        try await owner.run(session, options: options, progress: progress)
        for _ in 0...Self.pullLimit {
            if try session.replica.state().since == .zero {
                outcome += SyncOutcome(pulled: try await pull(options, progress))
            }
            switch try await Pusher(session: session).push(options, progress) {
            case .done(let pushed): return outcome + SyncOutcome(pushed: pushed)
            case .pullFirst(let pushed):
                outcome += SyncOutcome(pulled: try await pull(options, progress), pushed: pushed)
            }
        }
        throw SyncError.violation("it keeps refusing uploads that fit its schema and watermark")
    }

    /// Waits in slices of half a second, to notice edits, and other parts, made by other processes.
    private func wait(_ interval: Duration, _ direction: SyncDirection, sendsEdits: Bool) async throws {
        let end = session.environment.now() + interval
        let former = try session.replica.parts.changed()
        while session.environment.now() < end {
            if direction != .pull, sendsEdits, try session.replica.hasSomethingToSend() { return }
            if direction != .push, let wanted = try session.replica.parts.changed(), wanted != former { return }
            try await session.environment.sleep(min(.milliseconds(500), end - session.environment.now()))
        }
    }
}

/// How the client makes its requests, and how long it keeps trying.
public struct SyncOptions: Sendable, Equatable {
    /// Rows per page; nil leaves the size to the server.
    public var pageSize: Int?
    /// How many rows and deleted ids may wait in the replica until a drain counts. A larger delta is stored as it
    /// comes, and `ReplicaState.settled` is nil meanwhile.
    public var keptRows = 20_000
    /// Whether the next page is requested while the last one is stored. Costs the memory of one more page.
    public var readsAhead = true
    /// The server has no ready digest of a part: it looks at the part's rows. So one is asked for in each drain of this
    /// many, and where there is a reason.
    public var drainsPerPartDigest = 16
    /// The most rows in a batch. If the server accepts fewer, the client adapts.
    public var batchRows = 500
    /// The approximate size limit of a batch, in bytes; a single row may be larger. A slow network must be able to send
    /// this much within `requestTimeout`.
    public var batchBytes = 256 << 10
    /// The time limit of one request, including connecting and reading the response. When `patience` is nil, it doubles
    /// with each timeout, up to 32 times.
    public var requestTimeout: Duration = .seconds(30)
    /// How long the client keeps retrying one request before it gives up. Waits that the server asked for
    /// (`Retry-After`) do not count. Nil retries without end; `watch` always does.
    public var patience: Duration? = .seconds(30)
    /// The first wait between two attempts. Each further wait is twice as long, minus a random part of up to half.
    public var firstDelay: Duration = .milliseconds(250)
    /// The longest wait between two attempts, unless the server asks for a longer one.
    public var longestDelay: Duration = .seconds(30)
    /// A sync gives up when `Retry-After` is longer than this, or is sent more than `busyLimit` times in a
    /// row. Ignored when `patience` is nil.
    public var longestBusy: Duration = .seconds(120)
    /// See `longestBusy`.
    public var busyLimit = 10
    /// How many bytes of files that the server has are kept, for the next time that they are opened. What was opened
    /// within a minute stays in any case.
    public var fileCacheBytes: Int64 = 256 << 20
    /// Which files a watch reads before anybody opens them; nil for none.
    public var keptFiles: KeptFiles?
    /// How often `Syncer.watch` looks for edits, also of other processes. A look costs microseconds.
    public var lookForEdits: Duration = .milliseconds(100)

    /// What the device tells people about itself.
    public var device = DeviceInfo()

    /// The defaults, with this page size.
    public init(pageSize: Int? = nil) { self.pageSize = pageSize }
}

/// What a device tells people about itself. Its users see this in their list of devices, and administrators of a
/// project see it of the members' devices.
public struct DeviceInfo: Sendable, Equatable {
    /// A name for people, such as "Anna's phone"; nil for none.
    public var name: String?
    /// The version of the app; nil for none.
    public var appVersion: String?

    /// The machine's name, and the version of the app's bundle where it has one, unless others are given.
    public init(name: String? = DeviceInfo.machine, appVersion: String? = DeviceInfo.bundle) {
        self.name = name
        self.appVersion = appVersion
    }

    /// The name of this machine.
    public static var machine: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }

    /// The version of the app's bundle; nil outside of one.
    public static var bundle: String? {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    }

    /// The headers of a request. The server decodes the percent signs.
    func headers(id: String, comparison: String?) -> [String: String] {
        guard !id.isEmpty else { return [:] }
        var headers = ["Tidemark-Device-Id": id]
        headers["Tidemark-Device-Name"] = name.map(Self.encoded)
        headers["Tidemark-App-Version"] = appVersion.map(Self.encoded)
        headers["Tidemark-Digest"] = comparison
        return headers
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -._~()'!+,:;@/")
        // The server keeps less than this.
        return String(text.prefix(200)).addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}

/// What a sync does.
public enum SyncDirection: Sendable, Equatable, CaseIterable {
    /// Fetches what the server has.
    case pull
    /// Sends unsent edits. Pulls only when the server would accept nothing without it.
    case push
    /// Pulls, pushes, and pulls the result of the push.
    case both
}

/// How far a sync has come.
public enum SyncProgress: Sendable, Equatable {
    /// Sent after a page was stored.
    case pulled(PullProgress)
    /// Sent after a batch was answered.
    case pushed(PushProgress)
    /// Sent before a wait and a new attempt.
    case waiting(SyncTrouble)
}

/// Why a request failed and will be retried.
public struct SyncTrouble: Sendable, Equatable {
    /// A sentence for a person.
    public let reason: String
    /// Whether there was an answer, from the server or from something in between.
    public let hasAnswered: Bool

    init(answer reason: String) { (self.reason, hasAnswered) = (reason, true) }

    init(_ error: TransportError) { (reason, hasAnswered) = (error.description, false) }
}

/// Makes sure that a replica of all projects is synced as one user. With another user's token the first user's unsent
/// edits would change hands, and rows that only the first user may see would stay. A replica of one project needs no
/// check: the server refuses those who are not members.
final class OwnerCheck: Sendable {
    private let isDone = Mutex(false)

    /// Asks the server who the token's user is, once, and compares with the user that the replica belongs to. The first
    /// user who syncs it becomes its owner.
    ///
    /// Throws `ReplicaError.otherUser` and `unclaimedEdits`, and `SyncError` as a pull does.
    func run(_ session: Session, options: SyncOptions, progress: (SyncProgress) -> Void) async throws {
        guard session.remote.scope == .allProjects, !isDone.withLock({ $0 }) else { return }
        let user = try await user(session, options: options, progress: progress)
        try session.replica.claim(for: user)
        isDone.withLock { $0 = true }
    }

    private func user(
        _ session: Session, options: SyncOptions, progress: (SyncProgress) -> Void
    ) async throws -> Int64 {
        var retry = Retry(options, seed: session.environment.seed())
        retry.begin(at: session.environment.now())
        while true {
            let (trouble, after): (SyncTrouble, Duration?)
            let timeout = retry.timeout(at: session.environment.now())
            switch try await session.exchange(session.remote.whoAmI(timeout: timeout)) {
            case .success(let response):
                switch Verdict(response, read: OwnerCheck.id) {
                case .success(let id): return id
                case .retry(let asked, let reason): (trouble, after) = (SyncTrouble(answer: reason), asked)
                case .refuse(let error): throw error
                case .unchanged, .restart, .resync, .wipe:
                    throw SyncError.violation("it does not say whose token this is")
                }
            case .failure(let error):
                guard error.isTransient else { throw SyncError.transport(error) }
                if error == .timeout { retry.timedOut() }
                trouble = SyncTrouble(error)
                after = nil
            }
            guard let delay = retry.delay(after: after, at: session.environment.now()) else {
                throw SyncError.gaveUp(reason: trouble.reason)
            }
            progress(.waiting(trouble))
            try await session.environment.sleep(delay)
        }
    }

    private static func id(_ response: TransportResponse) throws -> Int64 {
        guard let id = try JSON(parsing: response.body)["id"]?.int else { throw SyncError.notTidemark(response) }
        return id
    }
}
