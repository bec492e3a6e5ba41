import Logging
import SyncProtocol
import SyncStore
import Synchronization

/// The causes that hold now. Whoever knows of one has a rule here; all rules are asked whenever somebody looks.
final class CauseList: Sendable {
    /// What holds now. It must not wait.
    typealias Rule = @Sendable (_ now: Instant) -> [CauseFinding]

    private struct State {
        var rules: [Rule] = []
        /// Since when each has held, as first found.
        var since: [Cause: Instant] = [:]
        /// Which ones the log has.
        var logged: [Cause: StandingCause] = [:]
    }

    private let clock: WallClock
    private let state = Mutex(State())

    init(_ clock: WallClock) { self.clock = clock }

    func watch(_ rule: @escaping Rule) { state.withLock { $0.rules.append(rule) } }

    /// All that hold now, those that stop something first.
    func look() -> [StandingCause] {
        let now = clock.now()
        // Rules take locks of their own.
        let findings = state.withLock(\.rules).flatMap { $0(now) }
        let found = Dictionary(findings.map { ($0.cause, $0) }, uniquingKeysWith: { $0.joined($1) })
        return state.withLock { state in
            state.since = state.since.filter { found[$0.key] != nil }
            return Cause.allCases.compactMap { cause in
                guard let finding = found[cause] else { return nil }
                let since = finding.since ?? state.since[cause] ?? now
                state.since[cause] = since
                return StandingCause(cause: cause, since: since, detail: finding.detail ?? cause.meaning)
            }
        }
    }

    /// Logs what has begun and what has ended since the last call.
    func log(_ logger: Logger) {
        let standing = Dictionary(uniqueKeysWithValues: look().map { ($0.cause, $0) })
        let logged = state.withLock { state in
            defer { state.logged = standing }
            return state.logged
        }
        for cause in Cause.allCases {
            switch (logged[cause], standing[cause]) {
            case (nil, let begun?):
                let level = cause.stops ? Logger.Level.error : .warning
                logger.log(level: level, "\(begun.detail) \(cause.remedy)", metadata: begun.metadata)
            case (let ended?, nil): logger.notice("This has ended.", metadata: ended.metadata)
            default: break
            }
        }
    }

    /// One sample for each cause there is.
    var samples: [Sample] {
        let standing = Set(look().map(\.cause))
        return Cause.allCases.map { cause in
            let label = Sample.Label(name: "cause", value: cause.rawValue)
            return Sample(.causes, standing.contains(cause) ? 1 : 0, labels: [label])
        }
    }
}

extension StandingCause {
    fileprivate var metadata: Logger.Metadata { ["cause": "\(cause.rawValue)", "since": "\(since.text)"] }
}
