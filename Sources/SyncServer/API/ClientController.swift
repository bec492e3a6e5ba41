import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema

extension Endpoint {
    /// An older schema may have a collection of this name, which keeps its path.
    static func client(_ registry: Registry) -> Endpoint {
        let folder = registry["client"] == nil ? "/client/" : "/sync/client/"
        return Endpoint(
            method: .get, path: folder + "index.js", otherPaths: [folder + "**"], id: "client", tag: serverTag,
            summary: "The client for browsers, as modules.",
            details: """
                Redirects to the same module of this server's build, which never changes. Pages of all origins may \
                import the modules; the origins whose pages may call the API are the operator's to set. \
                `build.json` beside it has the name of the build and those of its modules, for a service worker that \
                keeps them.
                """,
            isOpen: true, answersFiles: true,
            answers: [
                Answer(status: .ok, summary: "A module.", schema: Schema.text, mediaType: "text/javascript"),
                .notModified,
                Answer(
                    status: .temporaryRedirect, summary: "The module of this server's build.", headers: [.location]),
            ])
    }
}

/// `GET /client/index.js`, `/client/build.json` and `/client/BUILD/…`: the client for browsers. An app imports it from
/// the server that it syncs with, so nothing is copied, and the two are of one version.
struct ClientController: Sendable {
    private static let files = ClientFiles()
    let folder: String

    func file(_ request: Request, _ context: ServerContext) async throws -> Response {
        let path = request.uri.path
        guard path.hasPrefix(folder) else { return redirect(to: folder + "index.js", request) }
        let files = Self.files
        let name = String(path.dropFirst(folder.count))
        if let file = files[name] {
            try request.requireAcceptance(ofAny: [file.mediaType])
            return file.response(to: request)
        }
        guard files["\(files.build)/\(name)"] != nil else {
            throw Problem(.notFound, "This server has no such module of the client. Import \(folder)index.js instead.")
        }
        return redirect(to: "\(folder)\(files.build)/\(name)", request)
    }

    private func redirect(to place: String, _ request: Request) -> Response {
        var reply = Reply(status: .temporaryRedirect, body: ByteBuffer())
        reply.headers = ClientFiles.headers
        reply.headers[.location] = place
        reply.headers[.cacheControl] = "no-cache"
        return reply.response(to: request)
    }
}

/// The modules of the client, which are part of the binary for the console.
private struct ClientFiles: Sendable {
    /// Where the console has them.
    private static let folder = "tidemark/"

    /// A name for exactly these files.
    let build: String
    private let documents: [String: StaticDocument]

    /// Compresses all modules.
    init() {
        let files = ConsoleFiles.embedded.filter { $0.path.hasPrefix(Self.folder) }
            .map { (path: String($0.path.dropFirst(Self.folder.count)), body: $0.body) }
        let build = ConsoleFiles.name(of: files)
        var headers = Self.headers
        headers[.cacheControl] = "public, max-age=31536000, immutable"
        self.build = build
        var documents = Dictionary(
            uniqueKeysWithValues: files.map { path, body in
                let document = StaticDocument(
                    CommentLines.left(out: body), contentType: ConsoleFiles.contentType(of: path), headers: headers,
                    effort: .kept)
                return ("\(build)/\(path)", document)
            })
        headers[.cacheControl] = "no-cache"
        documents["build.json"] = StaticDocument(
            ConsoleFiles.list(files.map(\.path), build: build).text, contentType: "application/json; charset=utf-8",
            headers: headers)
        self.documents = documents
    }

    /// The file at a path relative to `/client/`; nil if there is none.
    subscript(path: String) -> StaticDocument? { documents[path] }

    /// Pages of any origin may import them: they are the same for everybody, and say nothing of anybody.
    static var headers: HTTPFields { [.accessControlAllowOrigin: "*", .xContentTypeOptions: "nosniff"] }
}
