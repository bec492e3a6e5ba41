import NIOCore
import SyncProtocol
import Synchronization

/// How many event streams and held pulls there may be, in all and for each user, and how quickly they may begin.
final class ListenerLimits: Sendable {
    enum Form: Sendable {
        case stream, heldPull
    }

    fileprivate struct State {
        /// By form and user.
        var taken: [Form: [Int64: Int]] = [:]
        var counts: [Form: Int] = [:]
        /// How many streams may begin now, and when that was true.
        var openings = Double(ListenerLimits.openingsPerSecond)
        var filledAt = NIODeadline.uptimeNanoseconds(0)
    }

    /// The most streams of a user, and the most held pulls.
    static let perUser = 20
    fileprivate static let openingsPerSecond = 1000
    /// How many streams a user may open in a minute: enough to open all of them several times.
    static let openingsOfUser = 120

    let mostStreams: Int
    /// The most listeners of both kinds. The other connections are for requests that are answered at once.
    let most: Int
    private let state = Mutex(State())

    init(streams: Int, connections: Int) {
        mostStreams = streams
        most = max(1, connections / 4 * 3)
    }

    /// The number of open streams and of held pulls.
    var counts: (streams: Int, heldPulls: Int) {
        state.withLock { ($0.counts[.stream, default: 0], $0.counts[.heldPull, default: 0]) }
    }

    /// Takes a slot, which must be given back with `leave`. Throws `too_many_streams` if the user has too many, and
    /// `busy` if the installation has, or if too many streams begin at once.
    func enter(_ form: Form, _ user: Int64, at now: NIODeadline = .now()) throws {
        try state.withLock { state in
            guard state.taken[form]?[user] ?? 0 < Self.perUser else { throw Problem.tooManyStreams(form) }
            let mayTake = state.counts.values.reduce(0, +) < most
            let mayStream = form == .heldPull || state.counts[.stream, default: 0] < mostStreams
            guard mayTake, mayStream, form == .heldPull || state.opens(at: now) else { throw Problem.busyListening }
            state.taken[form, default: [:]][user, default: 0] += 1
            state.counts[form, default: 0] += 1
        }
    }

    func leave(_ form: Form, _ user: Int64) {
        state.withLock { state in
            let left = state.taken[form]?[user].flatMap { $0 > 1 ? $0 - 1 : nil }
            state.taken[form]?[user] = left
            state.counts[form, default: 0] -= 1
        }
    }
}

extension ListenerLimits.State {
    /// Whether a stream may begin now.
    fileprivate mutating func opens(at now: NIODeadline) -> Bool {
        let most = Double(ListenerLimits.openingsPerSecond)
        let seconds = Double((now - filledAt).nanoseconds) / 1e9
        openings = min(most, openings + seconds * most)
        filledAt = now
        guard openings >= 1 else { return false }
        openings -= 1
        return true
    }
}

extension Problem {
    fileprivate static func tooManyStreams(_ form: ListenerLimits.Form) -> Problem {
        let what = form == .stream ? "event streams" : "waiting pulls"
        return Problem(
            .tooManyStreams, "You have \(ListenerLimits.perUser) \(what) open, which is the most. Close one.",
            members: ["retry_after": .int(Int64.random(in: 5...15))])
    }

    fileprivate static var busyListening: Problem {
        Problem(
            .busy, "The server has too many listeners now. Try again, or pull without waiting.",
            members: ["retry_after": .int(Int64.random(in: 1...10))])
    }
}
