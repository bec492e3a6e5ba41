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
