import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema

/// The files of a project.
extension Endpoint {
    static let filesTag = Tag(name: "files", summary: "The bytes of photos and documents. Rows name them by digest.")

    /// Every operation on files. A collection of an own schema that is named `files` keeps the short path.
    static func files(_ registry: Registry) -> [Endpoint] {
        [
            sendFile(registry), readFile(registry), uploadLimits(registry), beginUpload(registry),
            uploadState(registry), appendToUpload(registry), cancelUpload(registry),
        ]
    }

    static func sendFile(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, method: .put, id: "send_file", summary: "Send a file.",
            details: """
                Whoever may write a field of the format `blob` somewhere in the project may send files, before or \
                after the row that names them. The bytes are checked against the digest. Rows in which the caller has \
                named the file become `stored`. It may be sent again at any time.

                With `Upload-Complete: ?0` the answer has the `Location` of an upload that may break off and go on. \
                The file is safe when that is complete.
                """,
            parameters: [
                .header(
                    "Repr-Digest", Schema.text,
                    summary: "`sha-256=:…:` with the digest in base64 (RFC 9530). It is compared with the path."),
                .header(
                    "Upload-Complete", Schema.text,
                    summary: "`?0` begins an upload that goes on at its `Location`."),
                .uploadLength,
            ],
            takesBytes: true,
            answers: [
                Answer(
                    status: .created, summary: "The file is safe, or the upload is begun.",
                    headers: Endpoint.Header.ofUpload + [.uploadLocation]),
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

/// Uploads that may break off and go on: draft-ietf-httpbis-resumable-upload.
extension Endpoint {
    static func uploadLimits(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, ofAllUploads: .options, id: "upload_limits", summary: "What uploads may be.",
            details: "Tells of limits, and of the protocol [tus](https://tus.io) 1.0, which uploads take, too.",
            answers: [Answer(status: .noContent, summary: "The limits.", headers: Header.ofLimits)], ownCodes: [])
    }

    static func beginUpload(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, ofAllUploads: .post, id: "begin_upload", summary: "Begin an upload by tus.",
            details: """
                For clients of [tus](https://tus.io) 1.0; others begin with `PUT` of the file. HEAD, PATCH and DELETE \
                of the upload are those of tus if they have `Tus-Resumable`.
                """,
            parameters: [
                .header("Tus-Resumable", Schema.text, summary: "`1.0.0`"), .uploadLength,
                .header(
                    "Upload-Metadata", Schema.text,
                    summary: "`sha256` and, in base64, the 64 digits of the file's SHA-256."),
            ],
            answers: [
                Answer(
                    status: .created, summary: "The upload is begun.",
                    headers: [.uploadLocation] + Header.ofTus)
            ],
            ownCodes: write + [
                .fileTooLarge, .quotaExceeded, .tooManyUploads, .rateLimited, .noFileStore, .invalidHeader,
                .unsupportedTusVersion,
            ])
    }

    static func uploadState(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, upload: .head, id: "upload_state", summary: "How far an upload is.",
            details: "The bytes before `Upload-Offset` are safe. A request that sends bytes meanwhile ends.",
            answers: [
                Answer(status: .noContent, summary: "The upload.", headers: Header.ofUpload),
                Answer(status: .ok, summary: "The upload, as tus has it.", headers: Header.ofTus),
            ],
            ownCodes: access + [
                .readOnlyToken, .projectArchived, .rateLimited, .noFileStore, .unsupportedTusVersion,
            ])
    }

    static func appendToUpload(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, upload: .patch, id: "append_to_upload", summary: "Send more of a file.",
            details: "What came before the connection broke is kept. With the last bytes the file becomes safe.",
            parameters: [
                .header("Upload-Offset", Schema.text, summary: "Where the first byte of the body belongs."),
                .header("Upload-Complete", Schema.text, summary: "`?1` with the last bytes, `?0` before."),
            ],
            takesBytes: true,
            answers: [
                Answer(status: .created, summary: "The file is safe.", headers: Header.ofUpload),
                Answer(status: .noContent, summary: "The bytes are safe.", headers: Header.ofUpload),
            ],
            ownCodes: write + [
                .uploadOffsetMismatch, .uploadLengthMismatch, .digestMismatch, .fileTooLarge, .quotaExceeded,
                .rateLimited,
                .diskFull,
                .noFileStore, .invalidHeader, .unsupportedContentEncoding, .unsupportedMediaType,
                .unsupportedTusVersion,
            ])
    }

    static func cancelUpload(_ registry: Registry) -> Endpoint {
        Endpoint(
            registry, upload: .delete, id: "cancel_upload", summary: "End an upload.",
            details: "Its bytes are forgotten. A file that is complete stays.",
            answers: [Answer(status: .noContent, summary: "There is no such upload any more.")],
            ownCodes: write + [.rateLimited, .noFileStore, .unsupportedTusVersion])
    }

    private init(
        _ registry: Registry, ofAllUploads method: HTTPRequest.Method, id: String, summary: String, details: String,
        parameters: [Parameter] = [], answers: [Answer], ownCodes: [ErrorCode]
    ) {
        let paths = Paths(
            ["/projects/{project}/uploads/", "/projects/{project}/sync/uploads/"], keptBy: registry["uploads"])
        self.init(
            method: method, path: paths.first, otherPaths: paths.others, id: id, tag: Endpoint.filesTag,
            summary: summary, details: details + paths.sentence, parameters: [.project] + parameters,
            answersFiles: true, takesBytes: false, answers: answers, ownCodes: ownCodes)
    }

    private init(
        _ registry: Registry, upload method: HTTPRequest.Method, id: String, summary: String, details: String,
        parameters: [Parameter] = [], takesBytes: Bool = false, answers: [Answer], ownCodes: [ErrorCode]
    ) {
        let paths = Paths(
            ["/projects/{project}/uploads/{upload}/", "/projects/{project}/sync/uploads/{upload}/"],
            keptBy: registry["uploads"])
        self.init(
            method: method, path: paths.first, otherPaths: paths.others, id: id, tag: Endpoint.filesTag,
            summary: summary, details: details + paths.sentence,
            parameters: [
                .project, Parameter(name: "upload", place: .path, schema: Schema.text, summary: "As in `Location`."),
            ] + parameters,
            answersFiles: true, takesBytes: takesBytes, answers: answers, ownCodes: ownCodes)
    }
}

extension Endpoint.Parameter {
    fileprivate static let uploadLength = Endpoint.Parameter.header(
        "Upload-Length", Schema.text, summary: "How many bytes the file has, for an upload that goes on.")
}

extension Endpoint.Header {
    fileprivate static let reprDigest = Endpoint.Header(
        name: "Repr-Digest", schema: Schema.text, summary: "The SHA-256 of the whole file (RFC 9530).")

    fileprivate static let contentRange = Endpoint.Header(
        name: "Content-Range", schema: Schema.text, summary: "Which bytes these are, and of how many.")

    /// Where an upload goes on.
    fileprivate static let uploadLocation = optional("Location", "Where the upload goes on.")

    fileprivate static let ofUpload = [
        optional("Upload-Offset", "How many bytes are safe."),
        optional("Upload-Complete", "`?1` if the file is complete, else `?0`."),
        optional("Upload-Length", "How many bytes the file has, if the client has said."),
        optional("Upload-Limit", "`max-size`, in bytes, and `max-age`, in seconds without new bytes."),
    ]

    /// What a tus client is told of an upload.
    fileprivate static let ofTus = [
        optional("Tus-Resumable", "`1.0.0`"), optional("Upload-Offset", "How many bytes are safe."),
        optional("Upload-Length", "How many bytes the file has."),
    ]

    fileprivate static let ofLimits = [
        optional("Upload-Limit", "`max-size`, in bytes, and `max-age`, in seconds without new bytes."),
        optional("Tus-Resumable", "`1.0.0`"), optional("Tus-Version", "`1.0.0`"),
        optional("Tus-Extension", "`creation,termination`"), optional("Tus-Max-Size", "The most bytes of a file."),
    ]

    private static func optional(_ name: String, _ summary: String) -> Endpoint.Header {
        Endpoint.Header(name: name, schema: Schema.text, summary: summary, isAlwaysThere: false)
    }
}
