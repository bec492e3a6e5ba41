import ServiceLifecycle

/// Runs what a request starts and does not wait for. When the server stops, work under way is cancelled, and the server
/// waits for its end, so the database is not closed before.
final class BackgroundWork: Service {
    private let work: AsyncStream<@Sendable () async -> Void>
    private let queue: AsyncStream<@Sendable () async -> Void>.Continuation

    init() { (work, queue) = AsyncStream.makeStream() }

    func start(_ body: @escaping @Sendable () async -> Void) { queue.yield(body) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await body in self.work { group.addTask { await body() } }
            }
        }
    }
}
