import SyncProtocol
import Synchronization

/// A user's waiting pulls of all projects, one after the other.
final class PullWatcher: Sendable {
    private struct State {
        var server: TestServer
        /// The head of the lobby that was pulled.
        var lobby: Int64 = 0
        var faults: [String] = []
        var waiter: (head: Int64, continuation: CheckedContinuation<Void, Never>)?
    }

    private let client: Client
    private let endsWithTheHead: Bool
    private let state: Mutex<State>
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// With `endsWithTheHead`, a pull ends as soon as the head of a project has moved.
    init(_ client: Client, endsWithTheHead: Bool) {
        (self.client, self.endsWithTheHead) = (client.ofAllProjects, endsWithTheHead)
        state = Mutex(State(server: client.server))
        task.withLock { $0 = Task { await self.run(0) } }
    }

    var faults: [String] { state.withLock { $0.faults } }

    func move(to server: TestServer) { state.withLock { $0.server = server } }

    func stop() async {
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    /// Returns when the lobby was pulled at this head.
    func wait(until head: Int64) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiter = (head, continuation) }
            wake()
        }
    }

    private func wake() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let waiter = state.waiter, state.lobby >= waiter.head || !state.faults.isEmpty else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        continuation?.resume()
    }

    private func run(_ start: Int64) async {
        var (since, cursor, hasNews) = (start, String?.none, false)
        while !Task.isCancelled {
            // A server that stops answers 503, or not at all. A cursor may not be valid any more.
            guard let page = await pull(since, cursor), page.status == 200 else {
                cursor = nil
                await Task.yield()
                continue
            }
            cursor = page.json["next_cursor"]?.string
            if page.json["progress"]?["rows"] != 0 || page.json["left_projects"]?.array?.isEmpty == false {
                hasNews = true
            }
            if page.isHeld, !page.wasWoken { state.withLock { $0.faults.append("a held pull was not woken") } }
            guard cursor == nil else { continue }
            since = page.json["timestamp"]?.int ?? since
            state.withLock { state in
                if !hasNews { state.faults.append("a held pull ended with nothing") }
                state.lobby = max(state.lobby, page.json["heads"]?[FeedRun.lobby]?.int ?? 0)
            }
            hasNews = false
            wake()
        }
    }

    private func pull(_ since: Int64, _ cursor: String?) async -> Answer? {
        var client = Client(server: state.withLock { $0.server }, project: client.project, token: client.token)
        client.syncsAll = true
        var parameters = ["since": "\(since)", "page_size": "5000"]
        if let cursor { parameters["cursor"] = cursor }
        if cursor == nil, !endsWithTheHead { parameters["wait"] = "60" }
        guard cursor == nil, endsWithTheHead else { return try? await client.page(parameters) }
        while !Task.isCancelled {
            let page = try? await client.page(parameters)
            if page?.json["timestamp"]?.int != since { return page }
        }
        return nil
    }
}
