import CConsole
import Crypto
import HTTPTypes
import NIOCore
import SyncProtocol
import SyncSchema

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
                    headers: ConsoleFiles.headers)
                return (path, document)
            })
        documents["build.json"] = StaticDocument(
            ConsoleFiles.build(files).text, contentType: "application/json; charset=utf-8",
            headers: ConsoleFiles.headers)
        self.documents = documents
    }

    /// The file at a path relative to `/console/`; nil if there is none.
    subscript(path: String) -> StaticDocument? { documents[path.isEmpty ? ConsoleFiles.page : path] }

    private static var embedded: [(path: String, body: ByteBuffer)] {
        UnsafeBufferPointer(start: console_files(), count: console_file_count()).map { file in
            let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
            return (String(cString: file.path), ByteBuffer(bytes: bytes))
        }
    }

    /// What a service worker needs to keep the console for times without a network: the names of all files but its own,
    /// and a name for exactly these files.
    private static func build(_ files: [(path: String, body: ByteBuffer)]) -> JSON {
        var hash = SHA256()
        for (path, body) in files {
            hash.update(data: Array("\(path) \(body.readableBytes)\n".utf8))
            hash.update(data: body.readableBytesView)
        }
        let kept = files.map(\.path).filter { $0 != "worker.js" }
        return [
            "build": .string(String(Array(hash.finalize()).hex.prefix(16))),
            "files": .array(kept.map(JSON.string)),
        ]
    }

    private static func contentType(of path: String) -> String {
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
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
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
