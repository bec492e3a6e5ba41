import Foundation
import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanEncodingTests {
    private func document(_ encoding: String) -> String {
        "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><Project><Title>Größe – 5 €</Title></Project>"
    }

    @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
    func utf16IsReadWithAndWithoutMark(encoding: String.Encoding) throws {
        let data = try #require(document("UTF-16").data(using: encoding))
        #expect(try PlanFixture.read(data).name == "Größe – 5 €")
    }

    @Test func utf8IsReadWithMark() throws {
        #expect(try PlanFixture.read(Data([0xEF, 0xBB, 0xBF]) + Data(document("utf-8").utf8)).name == "Größe – 5 €")
    }

    @Test(arguments: ["windows-1252", "Windows-1252", "cp1252"])
    func windows1252IsRead(name: String) throws {
        let data = try #require(document(name).data(using: .windowsCP1252))
        #expect(try PlanFixture.read(data).name == "Größe – 5 €")
    }

    @Test(arguments: [("ISO-8859-1", "Gr\u{F6}\u{DF}e \u{A4}"), ("ISO-8859-15", "Größe €"), ("latin1", "Größe ¤")])
    func latinIsRead(name: String, title: String) throws {
        let bytes: [UInt8] = [0x47, 0x72, 0xF6, 0xDF, 0x65, 0x20, 0xA4]
        let data =
            Data("<?xml version='1.0' encoding='\(name)'?><Project><Title>".utf8) + bytes
            + Data("</Title></Project>".utf8)
        #expect(try PlanFixture.read(data).name == title)
    }

    @Test(arguments: ["EBCDIC-XX", "Shift_JIS", "x"])
    func anUnknownEncodingIsAnError(name: String) throws {
        let error = try #require(PlanFixture.error("<?xml version='1.0' encoding='\(name)'?><Project/>"))
        #expect(error.reason == "not well-formed XML: unknown encoding")
        #expect(error.hint == "Save the file in UTF-8, UTF-16, ISO-8859-1 or windows-1252.")
    }

    @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x00]] as [[UInt8]])
    func invalidUTF8IsAnError(bytes: [UInt8]) throws {
        let data = Data("<Project>\n<Title>a".utf8) + bytes + Data("b</Title></Project>".utf8)
        let error = try #require(PlanFixture.error(data))
        #expect(error.line == 2)
        #expect(error.reason == "not well-formed XML: not well-formed (invalid token)")
    }

    @Test func charactersAcrossPiecesStayWhole() throws {
        for shift in 0..<4 {
            let notes = String(repeating: "x", count: shift) + String(repeating: "😀", count: 40_000)
            let plan = try PlanFixture.plan(tasks: PlanFixture.task(1, "<Notes>\(notes)</Notes>"))
            #expect(plan.task("T1")["notes"] == .string(notes))
        }
    }
}
