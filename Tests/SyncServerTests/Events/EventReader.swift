import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SyncProtocol

/// An event as it came.
struct ReceivedEvent: Sendable {
    var name = ""
    var id: String?
    var retry: Int?
    var data: JSON = .null
}

/// Reads an event stream over a socket. It hangs up when it is released.
final class EventReader {
    let status: Int
    let headers: HTTPHeaders
    private var body: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    /// Opens `GET /api/v1/events/`.
    init(_ client: Client, _ query: String = "", headers: [String: String] = [:]) async throws {
        var request = HTTPClientRequest(url: client.server.url + "/api/v1/events/" + query)
        if let token = client.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let response = try await Client.raw.execute(request, timeout: Client.deadline)
        (status, self.headers) = (Int(response.status.code), response.headers)
        body = response.body.makeAsyncIterator()
    }

    /// The next event that is no ping; nil at the end of the stream. On a busy machine a ping may come anywhere.
    func next() async throws -> ReceivedEvent? {
        while true {
            if let event = try ReceivedEvent(nextOf: &text) {
                if event.name == "ping" { continue }
                return event
            }
            guard let bytes = try await body.next(isolation: #isolation) else { return nil }
            text += String(buffer: bytes)
        }
    }

    /// The next event with this name.
    func next(_ name: String) async throws -> ReceivedEvent? {
        while let event = try await next() { if event.name == name { return event } }
        return nil
    }

    /// Pokes until one of them names the project with this head or a later one. Returns all their heads, merged.
    func pokes(until project: String, _ head: Int64) async throws -> [String: Int64] {
        var heads: [String: Int64] = [:]
        while heads[project] ?? 0 < head, let poke = try await next("poke") {
            for (project, head) in poke.data.object ?? [:] { heads[project] = head.int }
        }
        return heads
    }
}

extension ReceivedEvent {
    /// The events that the text begins with, which are taken from it.
    static func all(in text: inout String) throws -> [ReceivedEvent] {
        var events: [ReceivedEvent] = []
        while let event = try ReceivedEvent(nextOf: &text) { events.append(event) }
        return events
    }

    /// Takes the first event from the text. Nil if it is not complete.
    fileprivate init?(nextOf text: inout String) throws {
        guard let end = text.firstRange(of: "\n\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\n")
        text.removeSubrange(..<end.upperBound)
        try self.init(lines)
    }

    private init(_ lines: [Substring]) throws {
        for line in lines {
            let value = line.drop { $0 != ":" }.dropFirst(2)
            switch line.prefix(while: { $0 != ":" }) {
            case "event": name = String(value)
            case "id": id = String(value)
            case "retry": retry = Int(value)
            case "data": data = try JSON(parsing: Array(value.utf8))
            default: throw ErrorCode.malformedRequest
            }
        }
    }
}
