import Foundation
import SyncProtocol

/// Reads one event stream, from its opening to its end.
struct EventReader: Sendable {
    let session: Session
    /// The id of the last event of an earlier stream.
    let lastEvent: String?

    /// Calls `tell` for all that happens, with the last id of the stream. Returns at the end of the stream.
    func run(_ tell: (WatchLoop.Event, String?) -> Void) async {
        var parser = EventParser()
        do {
            guard let stream = try await session.open(session.remote.events(after: lastEvent)) else {
                return tell(.cannotStream, nil)
            }
            guard stream.isOfEvents else {
                let response = try await stream.collected(upTo: 64 << 10)
                    .judged(token: session.remote.token, at: session.environment.wallClock())
                return tell(.refused(Verdict(response) { _ in UnreadBody() }, status: stream.status), nil)
            }
            tell(.opened, nil)
            for try await bytes in stream.body {
                let events = try parser.read(bytes)
                tell(.heard(events, retry: parser.retry.map { .milliseconds($0) }), parser.lastID)
            }
            tell(.ended(.interrupted("the server closed it")), parser.lastID)
        } catch {
            guard !Task.isCancelled else { return }
            tell(.ended(error as? TransportError ?? .cut), parser.lastID)
        }
    }
}

extension TransportStream {
    package var isOfEvents: Bool {
        status == 200 && headers["content-type"]?.lowercased().hasPrefix("text/event-stream") == true
    }
}

/// Reads server-sent events from bytes that come in pieces of any size.
///
/// It follows https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation. Lines may end
/// with LF, CR or CRLF. Bytes become text only when their line is complete, so a character that is cut is no matter.
package struct EventParser: Sendable {
    /// An event is longer than the limit: this is no event stream of Tidemark.
    package struct TooLong: Error {}

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The last `id`, for `Last-Event-ID`; nil before the first.
    package private(set) var lastID: String?
    /// The last `retry`, in milliseconds: how long to wait before a reconnect; nil before the first.
    package private(set) var retry: Int?
    /// The most bytes of one event.
    private let limit: Int
    private var line: [UInt8] = []
    private var wasReturn = false
    private var isFirstLine = true
    private var size = 0
    private var name = ""
    private var data: String?
    /// The `id` of the event that is being read. It counts from the event's end on.
    private var id: String?

    package init(limit: Int = 8 << 20) { self.limit = limit }

    /// The events that end within these bytes. Throws `TooLong`.
    package mutating func read(_ bytes: some Sequence<UInt8>) throws -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let endsLine = byte == UInt8(ascii: "\r") || (byte == UInt8(ascii: "\n") && !wasReturn)
            let isRest = byte == UInt8(ascii: "\n") && wasReturn
            wasReturn = byte == UInt8(ascii: "\r")
            if endsLine {
                if let event = endLine() { events.append(event) }
            } else if !isRest {
                size += 1
                guard size <= limit else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            field(String(decoding: line, as: UTF8.self), "")
            return nil
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        field(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        return nil
    }

    /// A comment has an empty name. Unknown fields mean nothing.
    private mutating func field(_ name: String, _ value: String) {
        switch name {
        case "event": self.name = value
        case "data": data = data.map { $0 + "\n" + value } ?? value
        case "id": if !value.utf8.contains(0) { id = value }
        case "retry": if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) { retry = Int(value) }
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer { (name, data, size) = ("", nil, 0) }
        lastID = id ?? lastID
        return data.map { ServerSentEvent(name: name.isEmpty ? "message" : name, data: $0) }
    }
}

/// One event of a stream.
package struct ServerSentEvent: Sendable, Equatable {
    /// The value of `event`; `message` if there was none.
    package var name: String
    /// The lines of `data`, joined with line feeds.
    package var data: String
}

/// A body that nobody reads.
struct UnreadBody: Sendable, Equatable {}
