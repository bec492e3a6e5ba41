/// A regular expression of a schema. Whatever the expression is, the
/// time to match it grows only with the length of the text.
///
/// The syntax is that of ECMAScript with the flag `u`, without what needs backtracking: references to groups,
/// look-ahead and look-behind. It matches whole texts, by Unicode code points. All states that a text can lead to are
/// followed at the same time (https://swtch.com/~rsc/regexp/regexp1.html). A character therefore costs at most two
/// steps for each instruction, of which there are at most `mostInstructions`.
package struct Pattern: Sendable {
    /// As it was written.
    package let text: String
    private let program: [Instruction]
    private let sets: [ScalarSet]

    /// Enough for `.{1,255}`. With more instructions, one upload of the largest size could take many seconds.
    package static let mostInstructions = 600

    /// The most instructions for a part that may be empty with its repetitions written out.
    static let mostEmptySteps = 256

    /// The most characters of a text that must match, unless its schema has a `maxLength`: 4 KiB of ASCII.
    package static let impliedLength = 4096

    /// The most steps for one text. A match takes up to a second then.
    private static let mostSteps = 20_000_000

    /// The most characters that a text with this pattern may have.
    var mostLength: Int { Pattern.mostSteps / (2 * program.count) }

    /// Throws a `PatternError`, which says what to do.
    package init(_ text: String) throws(PatternError) {
        var parser = PatternParser(text)
        var compiler = PatternCompiler()
        try compiler.compile(try parser.whole())
        self.text = text
        program = compiler.program
        sets = compiler.sets
    }

    /// Whether the whole text matches.
    package func matches(_ text: String) -> Bool {
        var steps = 0
        return matches(text, counting: &steps)
    }

    /// The same. Adds the work to `steps`: at most `2 * mostInstructions` for each character, and once more.
    package func matches(_ text: String, counting steps: inout Int) -> Bool {
        var run = PatternRun(program, sets)
        defer { steps += run.steps }
        return run.matches(text.unicodeScalars)
    }
}
