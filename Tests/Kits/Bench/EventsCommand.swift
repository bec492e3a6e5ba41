import ArgumentParser
import HTTPTypes
import Hummingbird
import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import Synchronization

/// The upper limit for events: uploads as the server takes them, and a bare Hummingbird route of server-sent events
/// that is told of each upload directly, as soon as it is stored. It knows no projects, members or numbers.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Take uploads, and tell every stream of each at once.")

    @OptionGroup var guest: GuestOptions
    @OptionGroup var options: ReferenceOptions

    func run() async throws {
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(path: guest.database, registry: registry, opener: .server, mender: DraftMender())
        var settings = SyncSettings()
        (settings.uploadRatePerProject, settings.uploadRatePerUser) = (0, 0)
        let services = try await Services(store: store, registry: registry, settings: settings)
        let (streams, router) = (Streams(), Router(context: ServerContext.self))
        let group = router.group().add(
            middleware: BearerAuthentication(authenticator: services.authenticator, tickets: services.tickets)
        ).group(context: CallerContext.self)
        group.post("/api/v1/projects/:project/sync/") { request, context in
            let upload = try UploadRequest(
                project: try context.parameters.require("project"), body: try await JSONBody.read(request),
                registry: registry, maximumRows: 500)
            let answer = try await services.uploads.upload(upload, by: context.caller)
            streams.tell("id: 1\nevent: poke\ndata: {\"\(upload.project)\":1}\n\n")
            return ReferenceServer.answer(ByteBuffer(string: answer.body))
        }
        group.get("/api/v1/events/") { _, _ in
            Response(status: .ok, headers: [.contentType: "text/event-stream"], body: streams.body())
        }
        try await ReferenceServer.run(router, port: options.port)
    }
}

/// The open streams.
private final class Streams: Sendable {
    private let all = Mutex<[Int: AsyncStream<ByteBuffer>.Continuation]>([:])
    private let last = Mutex(0)

    func tell(_ text: String) {
        let bytes = ByteBuffer(string: text)
        for stream in all.withLock({ Array($0.values) }) { stream.yield(bytes) }
    }

    func body() -> ResponseBody {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let number = last.withLock { last in
            last += 1
            return last
        }
        all.withLock { $0[number] = continuation }
        return ResponseBody { [self] writer in
            defer { _ = all.withLock { $0.removeValue(forKey: number) } }
            try await writer.write(ByteBuffer(string: "event: hello\ndata: {}\n\n"))
            for await bytes in stream { try await writer.write(bytes) }
            try await writer.finish(nil)
        }
    }
}
