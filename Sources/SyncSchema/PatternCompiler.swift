/// Turns an expression into instructions. A part that is repeated n times is written n times.
struct PatternCompiler {
    private(set) var program: [Instruction] = []
    private(set) var sets: [ScalarSet] = []

    mutating func compile(_ node: PatternNode) throws(PatternError) {
        try add(node)
        try emit(.end)
    }

    private mutating func add(_ node: PatternNode) throws(PatternError) {
        switch node {
        case .letter(let set):
            sets.append(set)
            try emit(.letter(sets.count - 1))
        case .assertion(let assertion): try emit(.require(assertion))
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .choice(let nodes): try add(choice: nodes[...])
        case .repeated(let node, let least, let most):
            guard !node.isEmpty else { return }
            guard let most else { return try add(node, least: least) }
            let start = program.count
            for _ in 0..<least { try add(node) }
            try add(node, upTo: most - least)
            if node.takesNothing { try PatternCompiler.check(emptySteps: program.count - start) }
        }
    }

    private mutating func add(_ node: PatternNode, least: Int) throws(PatternError) {
        for _ in 0..<(node.takesNothing ? 0 : least) { try add(node) }
        try add(anyNumberOf: node.withoutCounts)
    }

    /// Refuses many copies of a part that may be empty. Each character leads through all of them, and a matcher that
    /// tries one way after the other never ends.
    private static func check(emptySteps steps: Int) throws(PatternError) {
        guard steps > Pattern.mostEmptySteps else { return }
        throw PatternError(
            "repeats a part that may be empty too often, so it takes too long to match; write the part so that it "
                + "takes at least one character, or * instead of the numbers in braces")
    }

    private mutating func add(choice nodes: ArraySlice<PatternNode>) throws(PatternError) {
        guard let first = nodes.first else { return }
        guard nodes.count > 1 else { return try add(first) }
        let split = try emit(.split(0, 0))
        try add(first)
        let jump = try emit(.jump(0))
        program[split] = .split(split + 1, program.count)
        try add(choice: nodes.dropFirst())
        program[jump] = .jump(program.count)
    }

    private mutating func add(anyNumberOf node: PatternNode) throws(PatternError) {
        let split = try emit(.split(0, 0))
        try add(node)
        try emit(.jump(split))
        program[split] = .split(split + 1, program.count)
    }

    private mutating func add(_ node: PatternNode, upTo count: Int) throws(PatternError) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(try emit(.split(0, 0)))
            try add(node)
        }
        for split in splits { program[split] = .split(split + 1, program.count) }
    }

    /// Returns the instruction's position.
    @discardableResult
    private mutating func emit(_ instruction: Instruction) throws(PatternError) -> Int {
        guard program.count < Pattern.mostInstructions else {
            throw PatternError(
                "is too large: with its repetitions written out it has more than \(Pattern.mostInstructions) "
                    + "steps; use smaller numbers in braces, or * and + together with maxLength")
        }
        program.append(instruction)
        return program.count - 1
    }
}
