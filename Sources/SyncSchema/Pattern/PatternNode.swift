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

    /// Whether it matches without a character, wherever that is.
    var takesNothing: Bool {
        switch self {
        case .letter, .assertion: false
        case .sequence(let nodes): nodes.allSatisfy(\.takesNothing)
        case .choice(let nodes): nodes.contains(where: \.takesNothing)
        case .repeated(let node, let least, _): least == 0 || node.takesNothing
        }
    }

    /// What means the same within a repetition without an upper bound: `(x{0,9}|y)*` matches what `(x|y)*` does.
    var withoutCounts: PatternNode {
        switch self {
        case .repeated(let node, let least, let most) where least <= 1 && most != 0: node.withoutCounts
        case .choice(let nodes): .choice(nodes.map(\.withoutCounts))
        case .sequence(let nodes) where nodes.count == 1: nodes[0].withoutCounts
        case .letter, .assertion, .sequence, .repeated: self
        }
    }
}
