import SyncProtocol
import Testing

@Suite struct MendedJSONTests {
    private func read(_ text: String) throws -> MendedJSON { try MendedJSON(parsing: text.utf8) }

    /// Each place as `path: source`.
    private func places(_ text: String) throws -> [String] {
        try read(text).halves.map { "\($0.path.joined(separator: "/")): \($0.source)" }
    }

    @Test(
        arguments: [
            (#""cut \ud83d""#, "cut \u{FFFD}"), (#""\ude00""#, "\u{FFFD}"), (#""\ud83dA""#, "\u{FFFD}A"),
            (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}\u{1F600}"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"), (#""\uD83D\n""#, "\u{FFFD}\n"),
        ] as [(String, String)])
    func halfAPairBecomesTheReplacementCharacter(text: String, mended: String) throws {
        let document = try read(text)
        #expect(document.value == .string(mended))
        #expect(document.halves.map(\.source) == [String(text.dropFirst().dropLast())])
        #expect(throws: JSONError.self) { try JSON(parsing: text) }
    }

    @Test(arguments: [#""\ud83d\ude00 \ufffd""#, #"{"a":[1,null,{"b":"ä"}]}"#, "7"])
    func aWholeTextIsReadAsEver(text: String) throws {
        let document = try read(text)
        #expect(try document.halves.isEmpty && document.value == JSON(parsing: text))
    }

    @Test(arguments: [#""\ud83d\u00""#, #""\ud83d\"#, #""\ud83d"#, #"["\ud83d",]"#, #"{"\ud83d"}"#, #""\ud83d" x"#])
    func whatIsMalformedStaysMalformed(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func placesLeadToValuesAndNames() throws {
        let text = #"{"a":["x",{"b":"\ud83d1"}],"n\ude00":[[],"\ud83d2"],"last":"whole"}"#
        #expect(
            try places(text) == [#"a/1/b: \ud83d1"#, "n\u{FFFD}: n\\ude00", "n\u{FFFD}/1: \\ud83d2"])
        #expect(try read(text).value["n\u{FFFD}"] == [[], "\u{FFFD}2"])
    }

    @Test func aNameThatHidesAnotherIsKnown() throws {
        let names = [#"{"\ud83d":1,"\ud83e":2}"#, #"{"\ud83d":1,"\ufffd":2}"#, #"{"\ufffd":1,"\ud83d":2}"#]
        for text in names {
            let document = try read(text)
            #expect(document.value == ["\u{FFFD}": 2] && document.worstHalf?.hidesMember == true, "\(text)")
        }
        #expect(try read(#"{"\ud83d":{"\ud83d":1}}"#).worstHalf?.hidesMember == false)
    }

    @Test func theNumberOfMendedTextsIsLimited() throws {
        let texts = Array(repeating: #""\ud83d""#, count: 10_000)
        #expect(try read("[\(texts.joined(separator: ","))]").halves.count == 10_000)
        #expect(throws: JSONError.self) { try read("[\((texts + texts).joined(separator: ","))]") }
        #expect(try read("\"\(String(repeating: #"\ud83d"#, count: 20_000))\"").halves.count == 1)
    }

    @Test func depthIsLimitedHereToo() throws {
        #expect(throws: JSONError.tooDeep(limit: 2)) {
            try MendedJSON(parsing: #"[[["\ud83d"]]]"#.utf8, maximumDepth: 2)
        }
        #expect(try MendedJSON(parsing: #"[["\ud83d"]]"#.utf8, maximumDepth: 2).value == [["\u{FFFD}"]])
    }
}
