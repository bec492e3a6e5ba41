import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema

/// The files of a project.
extension Endpoint {
    static let filesTag = Tag(name: "files", summary: "The bytes of photos and documents. Rows name them by digest.")

    /// Every operation on files. A collection of an own schema that is named `files` keeps the short path.
    static func files(_ registry: Registry) -> [Endpoint] { [sendFile(registry), readFile(registry)] }

    static func sendFile(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, method: .put, id: "send_file", summary: "Send a file.",
            details: """
                Whoever may write a field of the format `blob` somewhere in the project may send files, before or \
                after the row that names them. The bytes are checked against the digest. Rows in which the caller has \
                named the file become `stored`. It may be sent again at any time.
                """,
            parameters: [
                .header(
                    "Repr-Digest", Schema.text,
                    summary: "`sha-256=:…:` with the digest in base64 (RFC 9530). It is compared with the path.")
            ],
            takesBytes: true,
            answers: [
                Answer(status: .created, summary: "The file is safe."),
                Answer(status: .ok, summary: "The caller could read the file already. The body was not read."),
            ],
            ownCodes: write + [
                .digestMismatch, .fileTooLarge, .quotaExceeded, .tooManyUploads, .rateLimited, .diskFull, .noFileStore,
                .invalidParameter, .invalidHeader, .unsupportedContentEncoding,
            ])
    }

    static func readFile(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, method: .get, id: "read_file", summary: "Read a file.",
            details: """
                Whoever sees a row that names the file, and is `stored`, may read it. For everybody else there is no \
                such file. The answer is for downloading: `Content-Type` is an image's where the first bytes are \
                one's, and `application/octet-stream` otherwise.
                """,
            parameters: [
                .ifNoneMatch,
                .header("Range", Schema.text, summary: "One range of bytes. Several get the whole file."),
                .header("If-Range", Schema.text, summary: "The `ETag` for which the range counts."),
            ],
            takesBytes: false,
            answers: [
                Answer(status: .ok, summary: "The file.", headers: [.eTag, .reprDigest]),
                Answer(status: .partialContent, summary: "The range.", headers: [.eTag, .reprDigest, .contentRange]),
                .notModified,
            ],
            ownCodes: access + [.noFileStore, .invalidParameter, .rangeNotSatisfiable])
    }

    private init(
        _ registry: Registry, method: HTTPRequest.Method, id: String, summary: String, details: String,
        parameters: [Parameter], takesBytes: Bool, answers: [Answer], ownCodes: [ErrorCode]
    ) {
        let paths = Paths(
            ["/projects/{project}/files/{sha256}/", "/projects/{project}/sync/files/{sha256}/"],
            keptBy: registry["files"])
        self.init(
            method: method, path: paths.first, otherPaths: paths.others, id: id, tag: Endpoint.filesTag,
            summary: summary, details: details + paths.sentence,
            parameters: [
                .project,
                Parameter(
                    name: "sha256", place: .path, schema: ["type": "string", "pattern": "^[0-9a-f]{64}$"],
                    summary: "The SHA-256 of the bytes."),
            ] + parameters,
            answersFiles: true, takesBytes: takesBytes, answers: answers, ownCodes: ownCodes)
    }
}

extension Endpoint.Header {
    fileprivate static let reprDigest = Endpoint.Header(
        name: "Repr-Digest", schema: Schema.text, summary: "The SHA-256 of the whole file (RFC 9530).")

    fileprivate static let contentRange = Endpoint.Header(
        name: "Content-Range", schema: Schema.text, summary: "Which bytes these are, and of how many.")
}
