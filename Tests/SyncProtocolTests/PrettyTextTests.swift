import SyncProtocol
import Testing

@Suite struct PrettyTextTests {
    @Test func membersAreSortedAndEachHasALine() {
        let json: JSON = ["b": [1, ["c": nil]], "a": [:], "d": []]
        #expect(
            json.prettyText == """
                {
                  "a": {},
                  "b": [
                    1,
                    {
                      "c": null
                    }
                  ],
                  "d": []
                }

                """)
    }

    @Test(arguments: ["[\"a\\n\\\"\",1.5]", "{\"\":{}}", "3"])
    func itReadsBackAsTheSameValue(text: String) throws {
        let json = try JSON(parsing: text)
        #expect(try JSON(parsing: json.prettyText) == json)
    }
}
