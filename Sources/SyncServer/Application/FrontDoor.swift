import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /`: leads a browser to the page about the API, and tells a program what `/health/` does.
enum FrontDoor {
    private static let page = "/docs/"

    /// Nil for a program.
    static func redirect(_ request: Request) -> Response? {
        guard request.prefersHTML else { return nil }
        var reply = Reply(
            status: .seeOther,
            body: ByteBuffer(string: "<!DOCTYPE html><title>Tidemark</title><a href=\"\(page)\">Tidemark API</a>\n"))
        reply.contentType = "text/html; charset=utf-8"
        reply.headers[.location] = page
        return varied(reply.response(to: request))
    }

    static func varied(_ response: Response) -> Response {
        var response = response
        response.headers.vary(by: "Accept")
        return response
    }
}

extension Request {
    /// Browsers name `text/html`; a program that takes it as well names what it rather has.
    fileprivate var prefersHTML: Bool {
        guard let accepted = headers[.accept].map(QualityValues.init), let html = accepted["text/html"] else {
            return false
        }
        return html > 0 && html >= accepted["application/json"] ?? 0
    }
}
