/// What an expression is made of.
indirect enum PatternNode {
    /// One letter.
    case letter(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// No upper bound where `most` is nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// What takes no letter.
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
