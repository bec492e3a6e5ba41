import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Serves routes like `tidemark serve` does, but with nothing underneath.
enum ReferenceServer {
    /// Serves until SIGTERM. Prints a line once it listens.
    static func run<Context: RequestContext>(_ router: Router<Context>, port: Int) async throws
    where Context.Source == ApplicationRequestContextSource {
        var logger = Logger(label: "tidemark-bench") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port), serverName: "tidemark", backlog: 4096),
            onServerRunning: { _ in
                print("listening")
                fflush(nil)
            }, logger: logger)
        try await application.runService()
    }

    /// An answer with the headers that Tidemark's answers have.
    static func answer(_ body: ByteBuffer) -> Response {
        let headers: HTTPFields = [
            .contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .vary: "Accept-Encoding",
            .contentLength: String(body.readableBytes),
        ]
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// A JSON object of that many bytes.
    static func body(bytes: Int) -> ByteBuffer {
        ByteBuffer(string: "{\"a\":\"" + String(repeating: "x", count: max(0, bytes - 8)) + "\"}")
    }
}
