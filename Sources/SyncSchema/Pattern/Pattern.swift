/// A regular expression of a schema, matched in time that grows with the text alone, whatever the expression is.
///
/// Written as ECMAScript has it with the flag `u`, without what needs backtracking: references to groups, look-ahead
/// and look-behind. It matches whole texts, by Unicode code points. All states that a text can lead to are followed at
/// once (https://swtch.com/~rsc/regexp/regexp1.html), so that a letter costs at most two steps for each instruction,
/// of which there are at most `mostInstructions`.
package struct Pattern: Sendable {
    /// As it was written.
    package let text: String
    private let program: [Instruction]
    private let sets: [ScalarSet]

    /// Enough for `.{1,255}`. More of them would let one upload of the largest size take many seconds.
    package static let mostInstructions = 600

    /// Throws a `PatternError` with what to do.
    package init(_ text: String) throws(PatternError) {
        var parser = PatternParser(text)
        var compiler = PatternCompiler()
        try compiler.compile(try parser.whole())
        self.text = text
        (program, sets) = (compiler.program, compiler.sets)
    }

    /// Whether the whole text is as the expression says.
    package func matches(_ text: String) -> Bool {
        var steps = 0
        return matches(text, counting: &steps)
    }

    /// Adds the work that it took to `steps`: at most `2 * mostInstructions` for each letter and one more.
    package func matches(_ text: String, counting steps: inout Int) -> Bool {
        var run = PatternRun(program, sets)
        defer { steps += run.steps }
        return run.matches(text.unicodeScalars)
    }
}
