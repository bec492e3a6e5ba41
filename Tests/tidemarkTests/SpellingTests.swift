import SyncProtocol
import Testing

@testable import tidemark

/// What a mistyped word may have meant, and how lists look.
@Suite struct SpellingTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("port", "prot", 1), ("page", "pages", 1), ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ])
    func aSlipOfTheKeyboardIsADistanceOfOne(left: String, right: String, distance: Int) {
        #expect(Spelling.distance(left, right) == distance && Spelling.distance(right, left) == distance)
    }

    @Test(arguments: [
        ("TIDEMARK_SYNC_PULL_PAGESIZE", "TIDEMARK_SYNC_PULL_PAGE_SIZE"), ("TIDEMARK_PORT", "TIDEMARK_SERVER_PORT"),
        ("TIDEMARK_DATABSE", "TIDEMARK_DATABASE"), ("TIDEMARK_LOG_REQUEST", "TIDEMARK_LOG_REQUESTS"),
    ])
    func theNearestVariableIsNamed(typed: String, meant: String) {
        #expect(
            Variables.complaints(about: [typed: "x"]) == ["There is no setting \(typed). Did you mean \(meant)?"])
    }

    @Test func whereNothingIsNearAllAreNamed() {
        let complaint = Variables.complaints(about: ["TIDEMARK_COLOUR": "red"]).first ?? ""
        #expect(complaint.contains("There are: ") && complaint.contains("TIDEMARK_SERVER_PORT"))
    }

    @Test func emptyVariablesAndThoseOfCommandsAreNoMistake() {
        let environment = ["TIDEMARK_COLOUR": "", "TIDEMARK_DATABASE": "a", "TIDEMARK_TOKEN": "t", "HOME": "/"]
        #expect(Variables.complaints(about: environment).isEmpty)
    }

    @Test func aListIsColumnsForAPersonAndTabsForAProgram() {
        let list = PrintedList(
            columns: ["id", "display_name", "superuser"],
            rows: [
                ["id": 1, "display_name": "Alice Ash", "superuser": true], ["id": 12, "display_name": "a\tb\nc"],
            ])
        #expect(list.lines(isWatched: false) == ["1\tAlice Ash\tsuperuser", "12\ta b c\t-"])
        #expect(
            list.lines(isWatched: true) == [
                "ID  DISPLAY NAME  SUPERUSER", "1   Alice Ash     superuser", "12  a b c         -",
            ])
        #expect(PrintedList(columns: ["id"], rows: []).lines(isWatched: true).isEmpty)
    }

    @Test func aListDoesNothingToATerminal() {
        for text in ["\u{1b}[2J", "\u{7f}", "\u{9b}31m", "\u{202e}exe", "a\r\nb", "\u{7}", "\u{2028}", "\u{feff}"] {
            let line = PrintedList(columns: ["name"], rows: [["name": .string("x" + text)]]).lines(isWatched: false)[0]
            #expect(line.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
            #expect(line.hasPrefix("x ") || text.hasPrefix("a"), "\(text)")
        }
        let family = "👨‍👩‍👧 Zoë"
        #expect(PrintedList(columns: ["name"], rows: [["name": .string(family)]]).lines(isWatched: false) == [family])
    }
}
