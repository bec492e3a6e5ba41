/// A part of an expression.
indirect enum PatternNode {
    /// One character.
    case letter(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// There is no upper bound if `most` is nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// A condition that takes no character.
    enum Assertion: Sendable {
        case start, end, boundary, noBoundary
    }

    /// Whether it compiles to nothing at all.
    var isEmpty: Bool {
        switch self {
        case .sequence(let nodes): nodes.allSatisfy(\.isEmpty)
        case .repeated(let node, _, let most): most == 0 || node.isEmpty
        case .letter, .assertion, .choice: false
        }
    }
}
