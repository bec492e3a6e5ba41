/// One step of a compiled expression.
enum Instruction: Sendable {
    /// Takes one character of the set with that number, and continues after it.
    case letter(Int)
    /// Continues at both positions.
    case split(Int, Int)
    case jump(Int)
    /// Continues if the assertion holds.
    case require(PatternNode.Assertion)
    case end
}
