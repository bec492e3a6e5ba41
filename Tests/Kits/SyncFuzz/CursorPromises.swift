import SyncEngine
import SyncProtocol

/// Cursors: what is read is what was sealed, and nothing else opens.
enum CursorPromises {
    private static let codec = CursorCodec(secret: "known to the corpus")
    private static let binding = "cursor-3|a drain"

    static func check(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        try checkForgery(text)
        if let cursor = Cursor(text: text) { try check(cursor, damagedAt: input.reduce(0) { $0 &* 31 &+ Int($1) }) }
    }

    /// If a text opens, it is exactly the text that sealing its cursor gives: a cursor has only one text.
    private static func checkForgery(_ text: String) throws {
        guard let cursor = try open(text) else { return }
        try promise(try codec.encode(cursor, boundTo: binding) == text, "a second text opens as \(cursor)")
    }

    private static func check(_ cursor: Cursor, damagedAt place: Int) throws {
        try promise(Cursor(text: cursor.text) == cursor, "\(cursor.text) is read as another cursor")
        let sealed = try codec.encode(cursor, boundTo: binding)
        try promise(try open(sealed) == cursor, "\(cursor) is opened as another cursor")
        try promise(try open(sealed, boundTo: binding + " of others") == nil, "\(cursor) opens in another drain")
        var damaged = Array(sealed.utf8)
        damaged[Int(UInt(bitPattern: place) % UInt(damaged.count))] ^= 1
        let text = String(decoding: damaged, as: UTF8.self)
        try promise(try open(text) == nil, "\(cursor) opens although damaged: \(text)")
    }

    private static func open(_ text: String, boundTo binding: String = binding) throws -> Cursor? {
        try accepted(or: Problem.self) { try codec.decode(text, boundTo: binding) }
    }
}
