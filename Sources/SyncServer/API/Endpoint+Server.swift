import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

extension Endpoint {
    static let serverTag = Tag(name: "server", summary: "The server itself.")

    static let frontDoor = Endpoint(
        method: .get, path: "/", id: "front_door", tag: serverTag, summary: "Is this a Tidemark server?",
        details: "Redirects a browser to `/console/`. A program gets the answer of `/health/`.", isOpen: true,
        answers: [
            .ok("It is, and it is alive.", Schema.object(["status": Schema.constant("alive")], title: "Health")),
            Answer(
                status: .seeOther, summary: "For a client that prefers HTML.", schema: Schema.text,
                mediaType: "text/html",
                headers: [.location]),
        ])

    static let health = Endpoint(
        method: .get, path: "/health/", id: "health", tag: serverTag, summary: "Is the process alive?", isOpen: true,
        answers: [.ok("It is.", Schema.object(["status": Schema.constant("alive")], title: "Health"))])

    static let ready = Endpoint(
        method: .get, path: "/ready/", id: "ready", tag: serverTag, summary: "Does the database answer?",
        details: """
            Whoever may read the metrics is also told what keeps the server from working, or may soon. It is ready as \
            long as the database answers reads.
            """, isOpen: true,
        answers: [
            .ok(
                "It does.",
                Schema.object(
                    [
                        "status": Schema.constant("ready"),
                        "causes": Schema.list(AnswerShape<StandingCause>.cause.schema),
                        "warnings": Schema.list(Schema.text).described("The causes as sentences, and more."),
                    ], title: "Readiness"))
        ],
        ownCodes: [.busy])

    static let metrics = Endpoint(
        method: .get, path: "/metrics", id: "metrics", tag: serverTag, summary: "Read the server's metrics.",
        details: """
            For Prometheus. Needs the token that the operator has set. If there is none, only the server's own machine \
            may ask.
            """,
        isOpen: true,
        answers: [
            Answer(
                status: .ok, summary: "Prometheus' text format 0.0.4.", schema: Schema.text, mediaType: "text/plain")
        ],
        ownCodes: [.unauthorized, .forbidden, .notFound])

    static let schemas = Endpoint(
        method: .get, path: "/schemas/", id: "schemas", tag: serverTag, summary: "Read the collections.",
        details: "What a client needs to build its tables: the unchanged schema files, parents first.",
        parameters: [.ifNoneMatch],
        answers: [.ok("The collections.", Schema.reference("Schemas"), headers: [.eTag]), .notModified])

    static let openAPI = Endpoint(
        method: .get, path: "/openapi.json", id: "openapi", tag: serverTag, summary: "This API as an OpenAPI document.",
        isOpen: true, parameters: [.ifNoneMatch],
        answers: [
            .ok(
                "An OpenAPI 3.1 document.", Schema.object(["openapi": Schema.text], title: "OpenAPIDocument"),
                headers: [.eTag]), .notModified,
        ])

    static let docs = Endpoint(
        method: .get, path: "/docs/", id: "docs", tag: serverTag, summary: "This API as a page for people.",
        isOpen: true, parameters: [.ifNoneMatch],
        answers: [
            Answer(status: .ok, summary: "A page.", schema: Schema.text, mediaType: "text/html", headers: [.eTag]),
            .notModified,
        ])
}

/// `GET /`, `/health/` and `/ready/`: whether the server lives, and whether it can serve.
struct StatusController<Store: SyncStore>: Sendable {
    private let store: Store
    private let causes: CauseList
    private let access: MetricsAccess
    private let door: FrontDoor

    init(_ store: Store, causes: CauseList, access: MetricsAccess, frontDoor: FrontDoor) {
        self.store = store
        self.causes = causes
        self.access = access
        door = frontDoor
    }

    func frontDoor(_ request: Request, _ context: ServerContext) async throws -> Response {
        if let redirect = door.redirect(request) { return redirect }
        return FrontDoor.varied(try await health(request, context))
    }

    func health(_ request: Request, _ context: ServerContext) async throws -> Response {
        Reply(["status": "alive"]).response(to: request)
    }

    func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try await store.read(.project("")) { try $0.project("") }
        // For the operator: strangers need not know what the server suffers from.
        let isOperator = (try? access.require(request, from: context.peer)) != nil
        let standing = isOperator ? causes.look() : []
        let warnings = standing.map(\.detail) + (isOperator ? store.metrics.warnings : [])
        return Reply([
            "status": "ready", "causes": .array(standing.map(AnswerShape.cause.json)),
            "warnings": .array(warnings.map(JSON.string)),
        ]).response(to: request)
    }
}

/// `GET /`: redirects a browser to the console. A program gets the answer of `/health/`.
struct FrontDoor: Sendable {
    private let page: String

    init(_ registry: Registry) { page = Endpoint.console(registry).path }

    /// The redirect for a browser; nil for a program.
    func redirect(_ request: Request) -> Response? {
        guard request.prefersHTML else { return nil }
        var reply = Reply(
            status: .seeOther,
            body: ByteBuffer(string: "<!DOCTYPE html><title>Tidemark</title><a href=\"\(page)\">Tidemark</a>\n"))
        reply.contentType = "text/html; charset=utf-8"
        reply.headers[.location] = page
        return FrontDoor.varied(reply.response(to: request))
    }

    /// Marks an answer as one that depends on `Accept`.
    static func varied(_ response: Response) -> Response {
        var response = response
        response.headers.vary(by: "Accept")
        return response
    }
}

extension Request {
    /// Whether the client prefers HTML to JSON. Browsers name
    /// `text/html`. A program that also takes HTML names what it prefers.
    fileprivate var prefersHTML: Bool {
        guard let accepted = headers[.accept].map(QualityValues.init), let html = accepted["text/html"] else {
            return false
        }
        return html > 0 && html >= accepted["application/json"] ?? 0
    }
}
