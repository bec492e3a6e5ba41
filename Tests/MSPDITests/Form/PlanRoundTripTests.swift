import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import MSPDI

/// Importing a plan, exporting it and importing it again gives the same rows, whatever the plan is.
@Suite struct PlanRoundTripTests {
    static let documents: [String: String] = [
        "nothing": "",
        "texts": """
        <Title>A &amp; B &lt;c&gt; "d" é 🙂</Title><StartDate>2026-01-05T08:00:00</StartDate><Tasks>
        <Task><UID>0</UID><OutlineLevel>0</OutlineLevel><Notes>About
        it</Notes></Task>
        <Task><UID>4</UID><Name>One&#9;two</Name><Notes>a&#13;&#10;b&#10;c ]]&gt;</Notes></Task>
        <Task><UID>5</UID><Name>\(String(repeating: "x", count: 511)) y</Name><WBS> </WBS></Task>
        <Task><UID>6</UID><Name/></Task></Tasks>
        """,
        "units": """
        <StartDate>2026-01-05</StartDate><MinutesPerDay>450</MinutesPerDay><Tasks>
        <Task><UID>1</UID><Name>A</Name><Duration>PT20H15M0S</Duration><PercentComplete>33.25</PercentComplete></Task>
        <Task><UID>2</UID><Name>B</Name><Duration>P2D</Duration><DurationFormat>8</DurationFormat>
        <PercentComplete>99.9</PercentComplete><TotalSlack>9223372036854775807</TotalSlack><FreeSlack>-4500</FreeSlack>
        <PredecessorLink><PredecessorUID>1</PredecessorUID><Type>3</Type><LinkLag>-50</LinkLag><LagFormat>19</LagFormat>
        </PredecessorLink></Task>
        <Task><UID>3</UID><Name>C</Name><PercentComplete>0.01</PercentComplete><Active>0</Active></Task></Tasks>
        """,
        "odd day":
            "<MinutesPerDay>433.3</MinutesPerDay><Tasks><Task><UID>1</UID><Duration>PT8H</Duration></Task></Tasks>",
        "long day":
            "<MinutesPerDay>1440</MinutesPerDay><Tasks><Task><UID>1</UID><Duration>PT48H</Duration></Task></Tasks>",
        "outline": """
        <Tasks><Task><UID>1</UID><OutlineLevel>2</OutlineLevel></Task>
        <Task><UID>2</UID><OutlineLevel>5</OutlineLevel></Task>
        <Task><UID>3</UID><OutlineLevel>3</OutlineLevel><WBS>9</WBS></Task>
        <Task><UID>4</UID><OutlineLevel>3</OutlineLevel>
        <WBS>2</WBS></Task><Task><UID>5</UID><OutlineNumber>7</OutlineNumber></Task></Tasks>
        """,
        "dates": """
        <Tasks><Task><UID>1</UID><Start>2026-02-02T08:00:00</Start></Task>
        <Task><UID>2</UID><Start>2026-02-02T08:00:00</Start><Finish>2026-02-05T17:00:00</Finish></Task>
        <Task><UID>3</UID><Finish>2026-02-05T17:00:00</Finish><LateStart>2026-02-06T08:00:00</LateStart></Task>
        <Task><UID>4</UID><Start>2026-02-02T08:00:00</Start><EarlyStart>2026-01-30T08:00:00</EarlyStart>
        <Finish>2026-02-05T17:00:00</Finish><ActualStart>2026-02-02T08:00:00</ActualStart></Task>
        <Task><UID>5</UID><EarlyFinish>0001-01-01T08:00:00</EarlyFinish><ActualFinish>9999-12-31T23:59:00</ActualFinish>
        </Task></Tasks>
        """,
        "calendar": """
        <CalendarUID>3</CalendarUID><Calendars><Calendar><UID>3</UID><Name>Site</Name><IsBaseCalendar>1</IsBaseCalendar>
        <WeekDays><WeekDay><DayType>1</DayType><DayWorking>1</DayWorking></WeekDay><WeekDay><DayType>2</DayType>
        <DayWorking>0</DayWorking></WeekDay></WeekDays><Exceptions>
        <Exception><TimePeriod><FromDate>2026-12-24T00:00:00</FromDate><ToDate>2026-12-26T23:59:00</ToDate></TimePeriod>
        <Name>Yule</Name><Type>1</Type><DayWorking>0</DayWorking></Exception>
        <Exception><TimePeriod><FromDate>2026-01-01T00:00:00</FromDate><ToDate>2026-03-31T23:59:00</ToDate></TimePeriod>
        <Name>Every other Friday</Name><Type>6</Type><Period>2</Period><DaysOfWeek>32</DaysOfWeek>
        <DayWorking>0</DayWorking>
        </Exception></Exceptions></Calendar></Calendars>
        """,
        "recurring": """
        <Tasks><Task><UID>1</UID><Name>Weekly</Name><OutlineLevel>1</OutlineLevel><Recurring>1</Recurring></Task>
        \((0..<3).map { week in
            "<Task><UID>\(week + 2)</UID><Name>W</Name><OutlineLevel>2</OutlineLevel><Start>2026-02-"
            + "\(["02", "09", "16"][week])T10:30:00</Start></Task>"
        }.joined())
        <Task><UID>9</UID><Name>Never</Name><OutlineLevel>1</OutlineLevel><Recurring>1</Recurring></Task></Tasks>
        """,
        "people": """
        <Tasks><Task><UID>1</UID></Task><Task><UID>2</UID></Task><Task><UID>3</UID></Task></Tasks>
        <Resources><Resource><UID>1</UID><Name>ADA</Name></Resource><Resource><UID>2</UID><Name>G</Name>
        <EmailAddress>grace@example.com</EmailAddress></Resource><Resource><UID>3</UID><Name>Linus</Name></Resource>
        </Resources>
        <Assignments><Assignment><TaskUID>1</TaskUID><ResourceUID>1</ResourceUID></Assignment>
        <Assignment><TaskUID>2</TaskUID><ResourceUID>2</ResourceUID></Assignment>
        <Assignment><TaskUID>3</TaskUID><ResourceUID>3</ResourceUID></Assignment></Assignments>
        """,
        "links": """
        <Tasks><Task><UID>1</UID><HyperlinkAddress>https://example.org/a b?c=&lt;d&gt;&amp;e</HyperlinkAddress></Task>
        <Task><UID>2</UID><Hyperlink>H</Hyperlink>
        <HyperlinkAddress>HTTP://example.org/\(String(repeating: "x", count: 900))
        </HyperlinkAddress></Task></Tasks>
        """,
        "estimates": """
        <ExtendedAttributes><ExtendedAttribute><FieldID>188743783</FieldID>
        <Alias>Optimistic Duration</Alias></ExtendedAttribute>
        <ExtendedAttribute><FieldID>9</FieldID><Alias>pessimistic</Alias></ExtendedAttribute></ExtendedAttributes>
        <Tasks><Task><UID>1</UID><ExtendedAttribute><FieldID>9</FieldID><Value>PT80H0M0S</Value></ExtendedAttribute>
        <ExtendedAttribute><FieldID>188743783</FieldID><Value>PT0H0M0S</Value></ExtendedAttribute></Task></Tasks>
        """,
    ]

    @Test(arguments: documents.keys.sorted()) func aPlanComesBackAsItWas(name: String) throws {
        let plan = try PlanFixture.read(PlanFixture.document(Self.documents[name] ?? ""))
        let (again, written) = try PlanFixture.again(plan)
        #expect(PlanFixture.difference(plan, again) == [])
        #expect(written.notExported == [])
    }

    @Test(
        .enabled(if: !SharedPlans.files.isEmpty, "there are no plans in ../shared/data"), arguments: SharedPlans.files)
    func aPlanOfMicrosoftProjectComesBackAsItWas(file: URL) throws {
        let plan = try PlanFixture.reader().read(contentsOf: file.path)
        let (again, written) = try PlanFixture.again(plan)
        #expect(plan.tasks.count > 5)
        #expect(PlanFixture.difference(plan, again) == [])
        #expect(written.notExported == [])
    }

    @Test(arguments: 1...300) func aRandomPlanComesBackAsItWas(seed: Int) throws {
        var random = RandomPlan(seed: UInt64(seed))
        let text = random.document()
        let plan = try PlanFixture.read(text)
        let (again, written) = try PlanFixture.again(plan)
        #expect(PlanFixture.difference(plan, again) == [], "seed \(seed)")
        #expect(written.notExported == [], "seed \(seed)")
    }

    /// The same plans: their tasks stay in order, and of what was strewn into them all that is not kept is listed.
    @Test(arguments: 1...300) func whatARandomPlanDoesNotKeepIsListed(seed: Int) throws {
        var random = RandomPlan(seed: UInt64(seed))
        let plan = try PlanFixture.read(random.document())
        let (again, _) = try PlanFixture.again(plan)
        #expect(again.each("name") == plan.each("name"), "seed \(seed)")
        var ofProject: Set<String> = []
        for (kind, name, value) in random.strewn where !["", "NA"].contains(value) {
            // Of a project's fields the first counts.
            if kind == .project, !ofProject.insert(name).inserted { continue }
            let isListed = plan.notImported.contains { line in
                ["\(kind.rawValue) field \(name)", "baselines of", "timephased data of"]
                    .contains { line.hasPrefix($0) }
            }
            let isWithoutEffect =
                switch kind.elements[name] {
                case .imported, .needless: true
                case .setting(let written): value == written || written == "1" && value == "true"
                // Nothing of it, such as no cost, or what Project writes for all.
                case .content: value == "0" || Double(value) != nil && Double(value) == RecordKind.defaults[name]
                case nil: false
                }
            // A constraint that only repeats the start is kept as `planned_start`.
            let isConstraint = RecordKind.startConstraint.contains(name)
            #expect(isListed || isWithoutEffect || isConstraint, "seed \(seed): \(kind) \(name) \(value)")
        }
    }

    @Test func aDifferenceIsSeen() throws {
        let plan = try PlanFixture.read(PlanFixture.document(Self.documents["units"] ?? ""))
        var other = plan
        other.rows["dependencies"]?[0]["lag"] = 3
        #expect(PlanFixture.difference(plan, other).count >= 2)
    }
}

/// The plans that lie next to the clone.
enum SharedPlans {
    static var files: [URL] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../shared/data")
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).filter { $0.pathExtension == "xml" }.sorted { $0.path < $1.path }
    }
}
