import SyncProtocol
import Testing

@testable import SyncValues

/// What patterns in schemas match, and in how many steps.
@Suite struct PatternTests {
    /// Expected values: `new RegExp("^(?:" + pattern + ")$", "u").test(text)` in Node 20.
    @Test(
        arguments: [
            ("a|bc", ["a", "bc"], ["", "ab", "abc", "b", "c"]),
            ("", [""], ["a"]), ("a*", ["", "aaa"], ["ab"]), ("a+?", ["a", "aa"], ["", "b"]),
            ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaa"], ["a"]), ("a{0,2}?", ["", "a", "aa"], ["aaa"]),
            ("(?:ab)+|(?<x>c)d", ["ab", "abab", "cd"], ["aba", "c", "abcd"]), ("(|a)+b", ["b", "aab"], ["a", ""]),
            (".", ["x", "é", "😀", "\u{85}"], ["\n", "\r", "\u{2028}", "e\u{301}", ""]),
            ("\\d", ["7"], ["٣", "７", "a"]), ("\\D", ["٣", "a"], ["7"]), ("\\w", ["a", "Z", "_", "0"], ["é", "-"]),
            ("\\s", [" ", "\t", "\n", "\u{A0}", "\u{FEFF}", "\u{2028}", "\u{3000}"], ["\u{85}", "\u{200B}", "a"]),
            ("\\S+", ["a\u{85}b"], ["a b"]), ("[a-cx]", ["b", "x"], ["d", "-"]), ("[^a-c]", ["d", "\n", "😀"], ["a"]),
            ("[]", [], ["", "a"]), ("[^]", ["a", "\n"], ["", "ab"]), ("[\\d-]", ["-", "5"], ["a"]),
            ("[a\\-c]", ["-"], ["b"]), ("[-a]", ["-", "a"], ["b"]), ("[[(.]", ["[", "(", "."], ["a"]),
            ("[\\b]", ["\u{8}"], ["b"]), ("[\\W\\d]", ["5", "-", "é"], ["a"]), ("[^\\W\\d]", ["a", "_"], ["5", "-"]),
            ("^a$", ["a"], ["a\n", "\na"]), ("a^b|a$b", [], ["ab", "a\nb"]), ("(^|x)a", ["a", "xa"], ["ya"]),
            ("\\ba\\b", ["a"], []), ("a\\bb", [], ["ab"]), ("a\\b-\\Bé", ["a-é"], ["a-b"]), ("a\\B.", ["ab"], ["a-"]),
            ("\\u{1F600}|\\uD83D\\uDE01|\\u00e9|\\x41|\\cA|\\0", ["😀", "😁", "é", "A", "\u{1}", "\u{0}"], ["e", ""]),
            ("[😀-😂]{2}", ["😀😁"], ["😀", "😃😀"]), ("\\p{L}\\P{Lu}", ["éa", "Äß"], ["aA", "1a"]),
            ("[\\p{Nd}\\p{Zs}]+", ["٣ 7"], ["a"]),
            ("\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/", ["^$\\.*+?()[]{}|/"], []),
            ("^https?://[^\\s]+$", ["https://a.b/c", "http://x"], ["ftp://x", "http://", "http://a b", "xhttp://a"]),
        ] as [(String, [String], [String])])
    func anExpressionMeansWhatItMeansInJavaScript(pattern: String, matching: [String], others: [String]) throws {
        let pattern = try Pattern(pattern)
        for text in matching { #expect(pattern.matches(text), "\(text.debugDescription)") }
        for text in others { #expect(!pattern.matches(text), "\(text.debugDescription)") }
    }

    @Test(
        arguments: [
            ("(a)\\1", "refers to a group"), ("(?<n>a)\\k<n>", "refers to a group"), ("(?=a)a", "looks ahead"),
            ("a(?!b)", "looks ahead"), ("(?<=a)b", "looks ahead or behind"), ("(?<!a)b", "looks ahead or behind"),
            ("(?i)a", "(? of a kind"), ("(?i:a)", "(? of a kind"), ("(?<é>a)", "whose name"), ("(", "without its )"),
            (")", "without its ("), ("a)", "without its ("), ("[a", "ends too early"), ("a\\", "ends too early"),
            ("*", "nothing before"), ("a|+", "nothing before"), ("a**", "repeats a repetition"),
            ("a{2}{3}", "repeats a repetition"), ("^*", "repeats an assertion"), ("\\b+", "repeats an assertion"),
            ("{", "on its own"), ("a{", "a { that"), ("a{,3}", "a { that"), ("a}", "on its own"), ("]", "on its own"),
            ("a{3,2}", "that fall"), ("[b-a]", "that falls"), ("[\\d-z]", "from or to a set"), ("\\q", "means nothing"),
            ("\\-", "means nothing"), ("\\xg1", "hexadecimal"), ("\\u12", "hexadecimal"), ("\\u{}", "hexadecimal"),
            ("\\u{110000}", "no Unicode code point"), ("\\uD83D", "no Unicode code point"), ("\\c1", "\\c that"),
            ("\\01", "means nothing"), ("\\p{Script=Greek}", "a property"), ("\\pL", "a property"),
            ("^([0-9]?[a-z]?){0,80}$", "may be empty"), ("(a?b?c?){50}", "may be empty"),
            ("((a?){0,30}){5}", "may be empty"), (".{601}", "too large"), ("(a{100}){100}", "too large"),
            ("(.{0,99}){0,99}", "too large"),
            (String(repeating: "a", count: 700), "too large"),
            (String(repeating: "(", count: 40) + String(repeating: ")", count: 40), "nested deeper"),
        ])
    func whatCantBeMatchedInBoundedTimeOrReadIsRefusedInWords(pattern: String, reason: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    /// On texts like these a backtracking matcher would take years.
    /// Steps are counted, so the machine's speed does not matter.
    @Test(arguments: [
        "(a+)+", "(a*)*b", "(a|aa)+", "(a|a)*", "(.*)*x", "(.*a){12}", "(a?){40}a{40}", "([a-z]+)*\\d", "(a*a*a*a*)*c",
        "(?:(?:a{0,9}){0,9}b?)*!", "(\\w+\\s?)*!", ".*.*.*.*.*.*=.*",
    ])
    func aHostileTextTakesStepsByItsLengthAlone(pattern: String) throws {
        let pattern = try Pattern(pattern)
        for text in ["a", "ab", "a "] {
            let hostile = String(repeating: text, count: 2048 / text.count) + "!"
            var steps = 0
            _ = pattern.matches(hostile, counting: &steps)
            #expect(steps <= 2 * Pattern.mostInstructions * (hostile.count + 1))
        }
    }

    /// A count within a repetition without one says nothing, and costs nothing.
    @Test func aCountWithoutAMeaningTakesNoSteps() throws {
        let pattern = try Pattern("^(([a-z]?[0-9]?){0,90}|[a-z0-9]*)*$")
        var steps = 0
        #expect(!pattern.matches(String(repeating: "a1", count: 500) + "!", counting: &steps))
        #expect(pattern.matches("a1bb22"))
        #expect(steps < 30_000)
        for (text, others) in [("(a{0,9}|b{1,3})*", ["c", "ac"]), ("((a{0,3}))+", ["b"]), ("(a{2,3})*", ["a"])] {
            #expect(try Pattern(text).matches("aaaa"), "\(text)")
            for other in others { #expect(try !Pattern(text).matches(other), "\(text)") }
        }
    }

    /// A repetition of nothing is not expanded, however high its count is.
    @Test func emptyRepetitionsTakeNoTime() throws {
        #expect(try Pattern("((((){600}){600}){600}){600}").matches(""))
    }

    @Test(arguments: 0..<20) func randomExpressionsMatchWhatTheyMeanByDefinition(seed: Int) throws {
        var random = RandomExpressions(seed: UInt64(seed))
        for _ in 0..<100 {
            let expression = random.expression()
            let pattern = try Pattern(expression.text)
            for _ in 0..<12 {
                let subject = random.subject()
                #expect(
                    pattern.matches(subject) == expression.matches(subject),
                    "\(expression.text) on \(subject.debugDescription), seed \(seed)")
            }
        }
    }
}
