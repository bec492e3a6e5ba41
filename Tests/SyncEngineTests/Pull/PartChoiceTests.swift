@testable import SyncEngine
import SyncProtocol
import SyncStore
import Testing

/// What a cursor says of the indexes that page 1 has chosen.
@Suite struct PartChoiceTests {
    @Test(arguments: ["0tasks:0:2", "0tasks:0:2,0tasks:1:0,1risks:7:3"]) func aTextIsReadAsItWasWritten(text: String) {
        #expect(PartChoice(text: text)?.text == text)
    }

    @Test(arguments: ["", "tasks:0:1", "0tasks:0", "0tasks:0:1,", "2tasks:0:1", "0tasks:x:1"])
    func otherTextsAreRefused(text: String) { #expect(PartChoice(text: text) == nil) }

    @Test func cursorsKeepIt() throws {
        var cursor = Cursor(timestamp: SyncSeq(7), segment: 2, position: .after(.zero), rows: 3, total: nil)
        #expect(Cursor(text: cursor.text) == cursor, "also one from before there were choices")
        cursor.choice = try #require(PartChoice(text: "0tasks:0:2"))
        #expect(Cursor(text: cursor.text) == cursor)
        #expect(Cursor(text: cursor.text + "!") == nil)
    }
}
