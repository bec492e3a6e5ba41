import NIOCore
import SyncProtocol
import Testing

@testable import SyncLoad

/// Reading a page row by row and scanning it as it arrives give the same results.
@Suite struct PageReadingTests {
    private static let own = ["time_entries"]
    private static let page = """
        {"changes":{"tasks":{"updated":[{"id":"a","server_version":3,"name":"\\"time_entries\\":{ \\\\",\
        "tags":[1,{"x":[]}]},\
        {"name":"é","id":"b","server_version":1}],"created":[],"deleted":["c"]},\
        "time_entries":{"updated":[{"id":"mine","server_version":1}],"created":[],"deleted":[]}},\
        "digest":{"tasks":{"count":2,"digest":"00000000000000aa"}},"has_more":false,"next_cursor":null,\
        "progress":{"rows":4,"total":4},"timestamp":42}
        """

    private func scan(_ text: String, _ own: [String] = own) throws -> (scan: PageScan, rows: [PageRow]) {
        var rows: [PageRow] = []
        let scan = try Array(text.utf8).withUnsafeBytes { bytes in try PageScan(bytes, own: own) { rows.append($0) } }
        return (scan, rows)
    }

    private func stream(_ text: String, pieces: Int, _ own: [String] = own) -> PageFacts? {
        var stream = PageStream(own: PageStream.patterns(own))
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            stream.append(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + pieces)]))
        }
        return stream.finish()
    }

    @Test func aScanSeesEveryRow() throws {
        let (scan, rows) = try scan(Self.page)
        #expect(rows.map(\.id) == ["a", "b", "c", "mine"])
        #expect(rows.map(\.version) == [ServerVersion(3), .first, nil, .first])
        #expect(scan.digest == ["tasks": CollectionDigest(count: 2, bits: 0xaa)])
        #expect(scan.facts.timestamp == 42)
        #expect(scan.facts.rowsSoFar == 4)
    }

    @Test(arguments: [1, 7, 64, 10_000])
    func aStreamSaysTheSameHoweverItIsCut(pieces: Int) throws {
        var facts = try scan(Self.page).scan.facts
        facts.rows = nil
        #expect(stream(Self.page, pieces: pieces) == facts)
    }

    @Test(arguments: [[], ["time_entries"]], [1000, 30_000, 131_072])
    func aLongPageIsReadInPieces(own: [String], pieces: Int) throws {
        let rows = (0..<3000).map {
            "{\"id\":\"r\($0)\",\"server_version\":1,\"notes\":\"a note of some length \($0)\"}"
        }
        let more = (0..<2000).map { "{\"id\":\"o\($0)\",\"server_version\":1,\"note\":\"nobody else's \($0)\"}" }
        let page = Self.page.replacing("{\"id\":\"a\"", with: rows.joined(separator: ",") + ",{\"id\":\"a\"")
            .replacing("{\"id\":\"mine\"", with: more.joined(separator: ",") + ",{\"id\":\"mine\"")
        var facts = try scan(page, own).scan.facts
        facts.rows = nil
        #expect(stream(page, pieces: pieces, own) == facts)
    }

    @Test func ownRowsDoNotCountInAPrint() throws {
        let other = Self.page.replacing("\"mine\"", with: "\"yours\"")
        #expect(try scan(other).scan.facts.print == scan(Self.page).scan.facts.print)
        let changed = Self.page.replacing("\"b\"", with: "\"d\"")
        #expect(try scan(changed).scan.facts.print != scan(Self.page).scan.facts.print)
    }

    @Test func theEmptyPrintIsThatOfAPageWithoutRows() throws {
        let empty = """
            {"changes":{"tasks":{"updated":[],"created":[],"deleted":[]},\
            "time_entries":{"updated":[],"created":[],"deleted":[]}},"has_more":true,"next_cursor":"x",\
            "progress":{"rows":0,"total":4},"timestamp":42}
            """
        #expect(try scan(Self.page).scan.emptyPrint == scan(empty).scan.facts.print)
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"changes\":{}}", String(page.dropLast(30)), page.replacing("\"id\":\"b\"", with: "\"no\":1"),
    ])
    func whatIsNoPageIsRefused(text: String) {
        #expect(throws: JSONCursor.Malformed.self) { try scan(text) }
    }

    @Test func aStreamThatIsCutIsNoPage() {
        #expect(stream(String(Self.page.dropLast(30)), pieces: 50) == nil)
    }
}
