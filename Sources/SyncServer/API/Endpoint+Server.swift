import HTTPTypes
import SyncProtocol
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
        details: "Lists warnings if the operator asks. A server with warnings is still ready.", isOpen: true,
        answers: [
            .ok(
                "It does.",
                Schema.object(
                    ["status": Schema.constant("ready"), "warnings": Schema.list(Schema.text)], title: "Readiness"))
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
