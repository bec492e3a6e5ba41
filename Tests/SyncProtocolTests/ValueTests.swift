import SyncProtocol
import Testing

@Suite struct ValueTests {
    @Test func equalNumbersAreEqualHoweverWritten() throws {
        #expect(try JSON(parsing: "[1, 1.0, 1e0, -0.0]") == [1, 1, 1, 0])
        #expect(try JSON(parsing: "1.5").text == "1.5")
        #expect(try JSON(parsing: "9007199254740993").text == "9007199254740993")
    }

    @Test func textsAreTheirBytesWhateverSwiftTakesForEqual() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(ExactText(composed) != ExactText(decomposed))
        #expect(Set([ExactText(composed), ExactText(decomposed), ExactText(composed)]).count == 2)
        #expect(ExactText(decomposed) < ExactText(composed))
        #expect(JSON.string(composed) != .string(decomposed))
        #expect(JSON.object([composed: 1]) != .object([decomposed: 1]))
        #expect(JSON.object([composed: 1]) == .object([composed: 1]))
        #expect(throws: JSONError.self) { try JSON(parsing: "{\"\(composed)\":1,\"\(decomposed)\":1}") }
        #expect(try JSON(parsing: "{\"\(composed)\":1,\"\(composed)\":2}") == .object([composed: 2]))
    }

    @Test func canonicalTextSortsMembersAndEscapes() throws {
        let value: JSON = ["b": ["x\n\"\u{1}é"], "a": nil, "ä": true]
        #expect(value.text == #"{"a":null,"b":["x\n\"\u0001é"],"ä":true}"#)
        #expect(try JSON(parsing: value.text) == value)
    }

    @Test(arguments: ["0001-01-01", "1970-01-01", "2000-02-29", "2026-12-31", "9999-12-31"])
    func daysSurviveTheirText(text: String) throws {
        #expect(CalendarDate(text)?.text == text)
    }

    @Test(arguments: ["2100-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "0000-01-01", "2026-01-32", ""])
    func daysThatAreNotAreRefused(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test func everyDayOfFourCenturiesCountsOneMore() throws {
        let first = try #require(CalendarDate("1899-12-31")).daysSinceEpoch
        for day in first..<(first + 146_097) {
            #expect(CalendarDate(CalendarDate(daysSinceEpoch: day).text)?.daysSinceEpoch == day)
        }
    }

    @Test(arguments: [
        ("2026-01-05T08:00:00Z", "2026-01-05T08:00:00.000Z"), ("2026-01-05T08:00:00.1Z", "2026-01-05T08:00:00.100Z"),
        ("2026-01-05t08:00:00.123456z", "2026-01-05T08:00:00.123Z"),
        ("2026-01-05 00:30:00+01:00", "2026-01-04T23:30:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"), ("2015-06-30T23:59:60.25Z", "2015-07-01T00:00:00.250Z"),
        ("2017-01-01T00:59:60+01:00", "2017-01-01T00:00:00.000Z"),
        ("2016-12-31 15:59:60-08:00", "2017-01-01T00:00:00.000Z"),
    ])
    func instantsHaveOneText(text: String, normal: String) throws {
        #expect(Instant(text)?.text == normal)
    }

    @Test(arguments: [
        "2026-01-05", "2026-01-05T08:00:00", "2026-01-05T24:00:00Z", "2026-01-05T08:00:00.Z", "2026-01-05T08:00:00+1",
        "0001-01-01T00:00:00+01:00", "2026-01-05T08:00:60Z",
        "2026-01-05T23:59:60Z", "2016-12-31T23:59:60+01:00", "2016-12-31T23:59:61Z", "9999-12-31T23:59:60Z",
        "2016-12-31T24:00:60Z", "2016-12-31T23:60:60Z",
    ])
    func otherTextsAreNoInstants(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test(arguments: ["a", "A-1_2.3", "0", String(repeating: "x", count: 64)])
    func idsOfTheRuleAreValid(id: String) { #expect(RowID.isValid(id)) }

    @Test(arguments: ["", "-a", "_a", ".a", "a b", "a/b", "ä", "a\u{0}", String(repeating: "x", count: 65)])
    func otherIDsAreNot(id: String) { #expect(!RowID.isValid(id)) }
}
