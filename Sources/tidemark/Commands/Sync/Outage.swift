import SyncClient
import Synchronization

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
                    + "quickly. How to set up the proxy: docs/operations.md, “Behind a reverse proxy”.")
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
