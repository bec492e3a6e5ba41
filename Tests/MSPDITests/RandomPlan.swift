import SyncTestKit

@testable import MSPDI

/// Makes random plans with every kind of element that a plan can have, and some that it should not have.
struct RandomPlan {
    private var random: SeededGenerator
    private var uids: [Int] = []
    /// Elements that were strewn in: their record, name and value.
    private(set) var strewn: [(kind: RecordKind, name: String, value: String)] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document() -> String {
        let settings = project()
        let custom = """
            <ExtendedAttributes><ExtendedAttribute><FieldID>1</FieldID><Alias>Optimistic</Alias></ExtendedAttribute>
            <ExtendedAttribute><FieldID>2</FieldID><Alias>Most Likely</Alias></ExtendedAttribute>
            <ExtendedAttribute><FieldID>3</FieldID><Alias>Pessimistic</Alias></ExtendedAttribute></ExtendedAttributes>
            """
        let calendars = "<Calendars>\(calendar())</Calendars>"
        let tasks = (0..<random.below(25)).map { task($0 + 1) }.joined(separator: "\n")
        return PlanFixture.document("\(settings)\(custom)\(calendars)<Tasks>\(tasks)</Tasks>\(people())")
    }

    private mutating func maybe(_ name: String, _ values: [String], in times: Int = 2) -> String {
        random.oneIn(times) ? "" : "<\(name)>\(random.pick(values) ?? "")</\(name)>"
    }

    private mutating func project() -> String {
        maybe("Title", ["P", " two  words ", "é\u{301}", "x.mpp"]) + maybe("Name", ["n.xml", "N .mpp", " "])
            + maybe("StartDate", ["2026-03-02T08:00:00", "2026-03-02", "NA", "x"])
            + maybe("MinutesPerDay", ["480", "450", "420.5", "1", "1440", "0", "1439", "7"])
            + maybe("DaysPerMonth", ["20", "31", "x"]) + maybe("WeekStartDay", ["0", "1", "6"])
            + maybe("ScheduleFromStart", ["0", "1", "1"]) + maybe("FinishDate", ["2026-09-28T17:00:00", "NA"])
            + strew(.project)
    }

    /// Any other elements: those that are known and not imported, and invented ones.
    private mutating func strew(_ kind: RecordKind) -> String {
        let known = kind.elements.filter { $0.value != .imported }.keys.sorted()
        return (0..<random.below(3)).map { _ in
            let name = random.pick(random.oneIn(4) ? ["Invented", "Odd.Name", "Nested"] : known) ?? "Invented"
            let value = random.pick(["0", "1", "2", "500", "-1", "true", "NA", "", "PT8H0M0S", date(), "text"]) ?? ""
            strewn.append((kind, name, value))
            return "<\(name)>\(value)</\(name)>"
        }.joined()
    }

    private mutating func calendar() -> String {
        let days = (1...7).map { day in
            random.oneIn(3)
                ? "" : "<WeekDay><DayType>\(day)</DayType><DayWorking>\(random.below(2))</DayWorking></WeekDay>"
        }
        let exceptions = (0..<random.below(6)).map { _ in exception() }
        return "<Calendar><UID>1</UID>\(maybe("Name", ["Standard", "Site", " "]))<IsBaseCalendar>1</IsBaseCalendar>"
            + strew(.calendar)
            + "<WeekDays>\(days.joined())</WeekDays><Exceptions>\(exceptions.joined())</Exceptions></Calendar>"
    }

    private mutating func exception() -> String {
        "<Exception><TimePeriod><FromDate>\(date())</FromDate><ToDate>\(date())</ToDate></TimePeriod>"
            + maybe("Name", ["A", "B", " C "]) + maybe("Type", ["1", "2", "3", "4", "5", "6", "7", "8", "9"])
            + maybe("Period", ["1", "2", "3"]) + maybe("DaysOfWeek", ["1", "62", "32"])
            + maybe("MonthDay", ["1", "31"]) + maybe("Month", ["0", "11"]) + maybe("DayWorking", ["0", "0", "1"])
            + "</Exception>"
    }

    private mutating func date() -> String {
        "2026-0\(random.below(9) + 1)-\(["01", "02", "10", "28"][random.below(4)])T"
            + ["08:00:00", "17:00:00", "00:00:00", "24:00:00"][random.below(4)]
    }

    private mutating func moment(_ name: String) -> String {
        random.oneIn(2) ? "" : "<\(name)>\(random.oneIn(8) ? "NA" : date())</\(name)>"
    }

    private mutating func task(_ uid: Int) -> String {
        uids.append(uid)
        return "<Task><UID>\(uid)</UID>" + maybe("Name", ["A", "B &lt;", "C&#13;", "\u{1F642}", ""], in: 8)
            + maybe("OutlineLevel", ["1", "2", "3", "4"], in: 5) + maybe("WBS", ["1", "1.2", "A", ""])
            + maybe("OutlineNumber", ["1", "2.1"]) + maybe("Recurring", ["1", "0"]) + dates()
            + maybe("Duration", ["PT8H0M0S", "PT0H0M0S", "PT7H30M0S", "P2M3DT5H", "PT1S", "PT999999H", "x"])
            + maybe("DurationFormat", ["7", "8", "5", "39"])
            + maybe("PercentComplete", ["0", "100", "50", "33.3", "0.2", "99.99", "-3", "400", "1e-300"])
            + maybe("Milestone", ["0", "1"]) + maybe("Active", ["0", "1", "1"]) + maybe("Critical", ["0", "1"])
            + maybe("TotalSlack", ["0", "4800", "-9600", "7", "9999999999999999"])
            + maybe("FreeSlack", ["4500", "x", "9223372036854775807"]) + maybe("Notes", ["n", " a\nb ", "&amp;&#10;"])
            + maybe("HyperlinkAddress", ["https://e.org/", "http://e.org/a b", "ftp://e.org", "https://"])
            + maybe("Hyperlink", ["H", " t "]) + links() + estimates() + strew(.task)
            + "</Task>"
    }

    private mutating func dates() -> String {
        ["Start", "Finish", "EarlyStart", "EarlyFinish", "LateStart", "LateFinish", "ActualStart", "ActualFinish"]
            .map { moment($0) }.joined()
    }

    private mutating func links() -> String {
        (0..<random.below(4)).map { _ in
            "<PredecessorLink><PredecessorUID>\(random.below(26))</PredecessorUID>"
                + maybe("Type", ["0", "1", "2", "3", "9"])
                + maybe("LinkLag", ["0", "4800", "-4500", "123", "99999999999"])
                + maybe("LagFormat", ["7", "8", "19", "20"]) + strew(.link) + "</PredecessorLink>"
        }.joined()
    }

    private mutating func estimates() -> String {
        (1...3).map { field in
            random.oneIn(2)
                ? ""
                : "<ExtendedAttribute><FieldID>\(field)</FieldID><Value>PT\(random.below(4) * 8 * field)H0M0S</Value>"
                    + "<DurationFormat>7</DurationFormat></ExtendedAttribute>"
        }.joined()
    }

    private mutating func people() -> String {
        let resources = ["ada", "Grace Hopper", "linus", "Nobody"].enumerated().map { index, name in
            "<Resource><UID>\(index + 1)</UID><Name>\(name)</Name>\(maybe("Type", ["0", "1", "1", "2"], in: 3))"
                + "\(strew(.resource))</Resource>"
        }
        let assignments = uids.filter { _ in random.oneIn(2) }.map { uid in
            "<Assignment><TaskUID>\(uid)</TaskUID><ResourceUID>\(random.below(5))</ResourceUID>\(strew(.assignment))"
                + "</Assignment>"
        }
        return "<Resources>\(resources.joined())</Resources><Assignments>\(assignments.joined())</Assignments>"
    }
}
