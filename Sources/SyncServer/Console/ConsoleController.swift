import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// `GET /console/` and the files below it.
struct ConsoleController: Sendable {
    private static let files = ConsoleFiles()
    let folder: String

    func file(_ request: Request, _ context: ServerContext) async throws -> Response {
        let path = request.uri.path
        // The page names its files relative to its own address.
        guard path.hasPrefix(folder) else { return redirect(request) }
        guard let file = Self.files[String(path.dropFirst(folder.count))] else {
            throw Problem(.notFound, "The console has no such file. Open \(folder) instead.")
        }
        try request.requireAcceptance(ofAny: [file.mediaType])
        return file.response(to: request)
    }

    private func redirect(_ request: Request) -> Response {
        var reply = Reply(status: .permanentRedirect, body: ByteBuffer())
        reply.headers[.location] = folder
        return reply.response(to: request)
    }
}
