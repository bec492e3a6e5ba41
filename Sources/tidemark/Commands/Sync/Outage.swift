import SyncClient
import Synchronization

/// Says when a server stops answering and when it answers again, once each. Any thread may call it.
final class Outage: Sendable {
    private let url: String
    private let say: @Sendable (String) -> Void
    private let isAway = Mutex(false)

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

    /// The server has answered.
    func end() {
        if isAway.exchange(false) { say("The server at \(url) answers again.") }
    }

    private func begin(_ sentence: String) {
        if !isAway.exchange(true) { say(sentence) }
    }
}

extension Mutex<Bool> {
    /// Sets a new value and returns the old one.
    fileprivate func exchange(_ new: Bool) -> Bool {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}
