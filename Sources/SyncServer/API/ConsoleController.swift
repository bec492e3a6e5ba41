import CConsole
import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema

extension Endpoint {
    /// An older schema may have a collection of this name, which keeps its path.
    static func console(_ registry: Registry) -> Endpoint {
        let folder = registry["console"] == nil ? "/console/" : "/sync/console/"
        return Endpoint(
            method: .get, path: folder, otherPaths: [folder + "**"], id: "console", tag: serverTag,
            summary: "The console: projects and plans, as a page for people.",
            details: "The page is a client of this API. It keeps a copy in the browser, and works without a network.",
            isOpen: true, parameters: [.ifNoneMatch], answersFiles: true,
            answers: [
                Answer(status: .ok, summary: "A page.", schema: Schema.text, mediaType: "text/html", headers: [.eTag]),
                .notModified,
                Answer(
                    status: .permanentRedirect, summary: "Below `/api/v1`: the console is at `\(folder)`.",
                    headers: [.location]),
            ])
    }
}

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

/// The files of `/console/`. They are part of the binary, so nothing has to be installed beside it.
struct ConsoleFiles: Sendable {
    /// The file that a browser opens.
    private static let page = "index.html"

    private let documents: [String: StaticDocument]

    /// Compresses and tags all files.
    init() {
        let files = ConsoleFiles.embedded
        var documents = Dictionary(
            uniqueKeysWithValues: files.map { path, body in
                let isText = path.hasSuffix(".js") || path.hasSuffix(".css")
                let document = StaticDocument(
                    isText ? CommentLines.left(out: body) : body, contentType: ConsoleFiles.contentType(of: path),
                    headers: ConsoleFiles.headers, effort: .kept)
                return (path, document)
            })
        documents["build.json"] = StaticDocument(
            ConsoleFiles.build(files).text, contentType: "application/json; charset=utf-8",
            headers: ConsoleFiles.headers)
        self.documents = documents
    }

    /// The file at a path relative to `/console/`; nil if there is none.
    subscript(path: String) -> StaticDocument? { documents[path.isEmpty ? ConsoleFiles.page : path] }

    static var embedded: [(path: String, body: ByteBuffer)] {
        UnsafeBufferPointer(start: console_files(), count: console_file_count()).map { file in
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
            return (String(cString: file.path), ByteBuffer(bytes: bytes))
        }
    }

    /// What a service worker needs to keep the console for times without a network: the names of all files but its own,
    /// and a name for exactly these files.
    private static func build(_ files: [(path: String, body: ByteBuffer)]) -> JSON {
        list(files.map(\.path).filter { $0 != "worker.js" }, build: name(of: files))
    }

    /// What a service worker needs to keep these files of a build.
    static func list(_ files: [String], build: String) -> JSON {
        ["build": .string(build), "files": .array(files.map(JSON.string))]
    }

    /// A name for exactly these files: 16 hex digits.
    static func name(of files: [(path: String, body: ByteBuffer)]) -> String {
        var hash = SHA256()
        for (path, body) in files {
            hash.update(data: Array("\(path) \(body.readableBytes)\n".utf8))
            hash.update(data: body.readableBytesView)
        }
        return String(Array(hash.finalize()).hex.prefix(16))
    }

    static func contentType(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        default: "image/svg+xml"
        }
    }

    /// The console runs and loads nothing but these files, talks to its own server alone, is not framed, and can't make
    /// a script of a text: https://w3c.github.io/trusted-types/dist/spec/
    private static var headers: HTTPFields {
        [
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
            worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
            require-trusted-types-for 'script'; trusted-types tidemark
            """,
            .xContentTypeOptions: "nosniff",
            HTTPField.Name("Referrer-Policy")!: "no-referrer",
            HTTPField.Name("Cross-Origin-Opener-Policy")!: "same-origin",
            HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
        ]
    }
}

/// Leaves out what nobody reads in a browser: a quarter of the console's bytes are comments and indentation. The ends
/// of lines stay, so a line of what is served has the number that it has in the tree.
///
/// Only whole lines are comments here. `clients/console/tests/imports.test.js` sees to it that no text has several
/// lines.
enum CommentLines {
    private static let (blank, end) = (UInt8(ascii: " "), UInt8(ascii: "\n"))

    /// A module or a style sheet without its comments and its indentation.
    static func left(out source: ByteBuffer) -> ByteBuffer {
        var text = ByteBuffer()
        text.reserveCapacity(source.readableBytes)
        var isInside = false
        for line in source.readableBytesView.split(separator: end, omittingEmptySubsequences: false) {
            let words = line.drop { $0 == blank }
            let begins = !isInside && words.starts(with: "/*".utf8)
            if isInside || begins {
                isInside = !line.suffix(2).elementsEqual("*/".utf8)
            } else if !words.starts(with: "//".utf8) {
                text.writeBytes(words)
            }
            text.writeInteger(end)
        }
        // The last line has no end of its own.
        return text.getSlice(at: 0, length: text.readableBytes - 1) ?? text
    }
}
