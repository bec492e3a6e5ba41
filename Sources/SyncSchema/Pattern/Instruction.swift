/// What a match goes through.
enum Instruction: Sendable {
    /// Takes one letter of the set with that number, and goes on behind.
    case letter(Int)
    /// Goes on at both places.
    case split(Int, Int)
    case jump(Int)
    /// Goes on behind where it holds.
    case require(PatternNode.Assertion)
    case end
}
