import Foundation
import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanErrorTests {
    /// A plan with at least one element of each kind.
    static let full = PlanFixture.document(
        """
        <Title>Größe &amp; Maß</Title><StartDate>2026-01-05T08:00:00</StartDate><CalendarUID>1</CalendarUID>
        <Calendars><Calendar><UID>1</UID><Name>Main</Name><WeekDays><WeekDay><DayType>2</DayType></WeekDay></WeekDays>
        <Exceptions><Exception><TimePeriod><FromDate>2026-01-01</FromDate></TimePeriod></Exception></Exceptions>
        </Calendar></Calendars><Tasks><Task><UID>1</UID><Name><![CDATA[A <b>]]></Name><Recurring>1</Recurring>
        <PredecessorLink><PredecessorUID>2</PredecessorUID></PredecessorLink></Task><!-- — -->
        <Task><UID>2</UID><OutlineLevel>2</OutlineLevel><Start>2026-01-05T08:00:00</Start></Task></Tasks>
        <Resources><Resource><UID>1</UID><Name>ada</Name></Resource></Resources>
        <Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID></Assignment></Assignments>
        """)

    @Test func aTruncatedFileIsAnErrorAtEveryByte() throws {
        let data = Data(PlanErrorTests.full.utf8)
        #expect(try PlanFixture.read(data).tasks.count == 2)
        let end = data.count - "\n".utf8.count
        for count in 0..<end {
            let error = try #require(PlanFixture.error(data.prefix(count)), "cut to \(count) bytes")
            #expect(!error.reason.isEmpty && !error.hint.isEmpty)
        }
    }

    @Test func aFileWithBrokenBytesIsAnErrorOrAPlan() {
        let data = Data(PlanErrorTests.full.utf8)
        for position in stride(from: 0, to: data.count, by: 3) {
            for byte: UInt8 in [0, 0x3C, 0xFF] {
                var broken = data
                broken[position] = byte
                _ = PlanFixture.error(broken)
            }
        }
    }

    @Test func aSyntaxErrorSaysWhere() throws {
        let error = try #require(PlanFixture.error("<Project>\n<Tasks>\n  <Task></Tusk></Tasks></Project>"))
        #expect(error.line == 3)
        #expect(error.column == 11)
        #expect(error.reason == "not well-formed XML: mismatched tag")
        #expect(error.description.hasSuffix("plan.xml:3:11: \(error.reason). \(error.hint)"))
    }

    @Test(arguments: [
        "<!DOCTYPE Project SYSTEM \"file:///etc/passwd\"><Project/>",
        "<!DOCTYPE Project [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><Project><Title>&b;</Title></Project>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE Project>\n<Project/>",
    ])
    func aDoctypeIsRefused(text: String) throws {
        let error = try #require(PlanFixture.error(text))
        #expect(error.reason.hasPrefix("a DOCTYPE is refused, because"))
        #expect(error.line != nil)
    }

    @Test func deepNestingIsRefused() throws {
        let deep = { (levels: Int) in
            "<Project><Tasks><Task><UID>1</UID>" + String(repeating: "<a>", count: levels - 3)
                + String(repeating: "</a>", count: levels - 3) + "</Task></Tasks></Project>"
        }
        #expect(PlanFixture.error(deep(256)) == nil)
        #expect(try #require(PlanFixture.error(deep(257))).reason == "elements are nested deeper than 256")
        let endless = try #require(PlanFixture.error(String(repeating: "<Project>", count: 200_000)))
        #expect(endless.reason == "elements are nested deeper than 256")
    }

    @Test func otherFilesAreRefusedWithWhatToDo() throws {
        let html = try #require(PlanFixture.error("<html><body/></html>"))
        #expect(html.reason == "is not a Microsoft Project plan: the root element is \"html\", not \"Project\"")
        let binary = try #require(PlanFixture.error(Data([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])))
        #expect(binary.reason == "is a binary plan (.mpp), not XML")
        #expect(binary.hint == "Save the plan as XML in Microsoft Project: File > Save As > XML.")
        #expect(try #require(PlanFixture.error(Data([0x50, 0x4B, 3, 4]))).reason == "is a ZIP archive, not XML")
        #expect(try #require(PlanFixture.error("")).reason == "the file is empty")
        #expect(try #require(PlanFixture.error("  \n ")).reason == "not well-formed XML: no element found")
        #expect(try #require(PlanFixture.error("UID,Name\n1,x\n")).reason.hasPrefix("not well-formed XML: "))
    }

    @Test(arguments: ["/nowhere/plan.xml", "/", "/tmp", ""])
    func aPathWithoutReadableFileIsRefused(path: String) throws {
        let error = #expect(throws: PlanError.self) { try PlanFixture.reader().read(contentsOf: path) }
        #expect(error?.file == path)
        #expect(error?.reason.hasPrefix("can't be read: ") == true)
    }
}
