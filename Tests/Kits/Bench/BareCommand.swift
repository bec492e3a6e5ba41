import ArgumentParser
import Hummingbird

/// The upper limit for an empty poll: one route on Hummingbird's own context, which always gives the same answer.
struct BareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare", abstract: "Answer every GET under /projects with the same JSON.")

    @OptionGroup var options: ReferenceOptions

    func run() async throws {
        let body = ReferenceServer.body(bytes: options.bytes)
        let router = Router(context: BasicRequestContext.self)
        router.get("/api/v1/projects/:project/sync/") { _, _ in ReferenceServer.answer(body) }
        try await ReferenceServer.run(router, port: options.port)
    }
}
