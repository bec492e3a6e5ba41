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

/// One match. It follows all positions of the program that the characters so far lead to, at the same time.
struct PatternRun {
    private let program: [Instruction]
    private let sets: [ScalarSet]
    private(set) var steps = 0
    /// Positions of characters, and of the end, that are reached before the next character.
    private var places: [Int] = []
    /// The same for the character after that.
    private var following: [Int] = []
    private var stack: [Int] = []
    /// For each position, the index of the character before which it was last reached. No position is examined twice.
    private var reached: [Int]

    init(_ program: [Instruction], _ sets: [ScalarSet]) {
        self.program = program
        self.sets = sets
        reached = [Int](repeating: -1, count: program.count)
    }

    mutating func matches(_ text: String.UnicodeScalarView) -> Bool {
        var rest = text.makeIterator()
        var (before, next): (Unicode.Scalar?, Unicode.Scalar?) = (nil, rest.next())
        var index = 0
        reach(0, at: index, before: before, next: next)
        swap(&places, &following)
        while let letter = next, !places.isEmpty {
            before = letter
            next = rest.next()
            index += 1
            for place in places { take(letter, at: place, index: index, next: next) }
            swap(&places, &following)
            following.removeAll(keepingCapacity: true)
        }
        return next == nil && places.contains { if case .end = program[$0] { true } else { false } }
    }

    private mutating func take(_ letter: Unicode.Scalar, at place: Int, index: Int, next: Unicode.Scalar?) {
        steps += 1
        guard case .letter(let set) = program[place], sets[set].contains(letter) else { return }
        reach(place + 1, at: index, before: letter, next: next)
    }

    /// Adds the positions that `place` leads to without a character.
    private mutating func reach(_ place: Int, at index: Int, before: Unicode.Scalar?, next: Unicode.Scalar?) {
        stack.append(place)
        while let place = stack.popLast() {
            guard reached[place] != index else { continue }
            reached[place] = index
            steps += 1
            switch program[place] {
            case .letter, .end: following.append(place)
            case .jump(let target): stack.append(target)
            case .split(let one, let other): stack += [other, one]
            case .require(let assertion): if holds(assertion, before: before, next: next) { stack.append(place + 1) }
            }
        }
    }

    private func holds(_ assertion: PatternNode.Assertion, before: Unicode.Scalar?, next: Unicode.Scalar?) -> Bool {
        switch assertion {
        case .start: before == nil
        case .end: next == nil
        case .boundary: isWord(before) != isWord(next)
        case .noBoundary: isWord(before) == isWord(next)
        }
    }

    private func isWord(_ scalar: Unicode.Scalar?) -> Bool {
        scalar.map { scalar in ScalarSet.Item.word.contains { $0.contains(scalar) } } ?? false
    }
}
