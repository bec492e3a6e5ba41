import HTTPTypes
import Hummingbird
import NIOCore
import SyncSchema

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
