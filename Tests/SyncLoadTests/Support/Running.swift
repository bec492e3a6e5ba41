import Logging
import ServiceLifecycle
import SyncLoad

/// An application on its own port, for the lifetime of this object.
final class Running: Sendable {
    let target: LoadTarget
    private let group: ServiceGroup
    private let run: Task<Void, any Error>

    /// Returns once the port is open. `make` gets a function that it must call with the port.
    init<Application: Service>(_ make: (@escaping @Sendable (Int) -> Void) throws -> Application) async throws {
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let application = try make { opened.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        self.group = group
        run = Task {
            defer { opened.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }), let target = LoadTarget("http://127.0.0.1:\(port)")
        else { throw CancellationError() }
        self.target = target
    }

    deinit { Task { [group] in await group.triggerGracefulShutdown() } }
}
