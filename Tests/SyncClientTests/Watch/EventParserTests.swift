import Testing

@testable import SyncClientCore

@Suite struct EventParserTests {
    private func events(_ pieces: [[UInt8]]) throws -> [ServerSentEvent] {
        var parser = EventParser()
        return try pieces.flatMap { try parser.read($0) }
    }

    private func events(_ text: String) throws -> [ServerSentEvent] { try events([Array(text.utf8)]) }

    /// Every way to cut the stream in two, and byte by byte.
    @Test(arguments: ["\n", "\r", "\r\n"]) func whereTheBytesAreCutDoesNotMatter(end: String) throws {
        let text = ["id: 7", "event: poke", "data: {\"prä-🚀\": 5}", "", "data: a", "data:  b", ":", "data", "", ""]
            .joined(separator: end)
        let bytes = Array(text.utf8)
        let expected = [
            ServerSentEvent(name: "poke", data: "{\"prä-🚀\": 5}"), ServerSentEvent(name: "message", data: "a\n b\n"),
        ]
        for place in 0...bytes.count {
            #expect(try events([Array(bytes[..<place]), Array(bytes[place...])]) == expected, "\(place)")
        }
        #expect(try events(bytes.map { [$0] }) == expected)
    }

    @Test func commentsUnknownFieldsAndUnfinishedEventsMeanNothing() throws {
        #expect(try events(": ping\n\nnonsense: 1\nplain\n\ndata: x\nevent: y\n").isEmpty)
        #expect(try events("nonsense: 1\ndata:x\n\n") == [ServerSentEvent(name: "message", data: "x")])
    }

    @Test func anEventWithoutDataIsNoneAndItsNameIsForgotten() throws {
        #expect(try events("event: poke\n\ndata: x\n\n") == [ServerSentEvent(name: "message", data: "x")])
    }

    @Test(arguments: ["\u{FEFF}data: x\n\n", "data: x\n\n", "\u{FEFF}\ndata: x\n\n"])
    func aByteOrderMarkIsSkippedAtTheBeginning(text: String) throws {
        #expect(try events(text).map(\.data) == ["x"])
        #expect(try events("data: x\n\n" + text).count == (text.hasPrefix("\u{FEFF}data") ? 1 : 2))
    }

    @Test func theLastIDStaysUntilTheNextOne() throws {
        var parser = EventParser()
        _ = try parser.read(Array("id: 5\ndata: x\n\ndata: y\n\n".utf8))
        #expect(parser.lastID == "5")
        _ = try parser.read(Array("id: a\0b\n\nid: 6\n".utf8))
        #expect(parser.lastID == "5")
        _ = try parser.read(Array("\nid\n\n".utf8))
        #expect(parser.lastID == "")
    }

    @Test func onlyDigitsAreARetry() throws {
        var parser = EventParser()
        for text in ["retry: 1500\n", "retry: 1x\n", "retry: -1\n", "retry\n"] { _ = try parser.read(Array(text.utf8)) }
        #expect(parser.retry == 1500)
    }

    @Test func whatNeverEndsIsNoEventStream() throws {
        var parser = EventParser(limit: 100)
        for _ in 0..<10 { _ = try parser.read(Array("data: \(String(repeating: "x", count: 50))\n\n".utf8)) }
        #expect(throws: EventParser.TooLong.self) { try parser.read([UInt8](repeating: 120, count: 101)) }
        #expect(throws: EventParser.TooLong.self) {
            try parser.read(Array(String(repeating: "data: xxx\n", count: 20).utf8))
        }
    }
}
