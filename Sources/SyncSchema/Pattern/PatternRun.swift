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
        (self.program, self.sets) = (program, sets)
        reached = [Int](repeating: -1, count: program.count)
    }

    mutating func matches(_ text: String.UnicodeScalarView) -> Bool {
        var rest = text.makeIterator()
        var (before, next): (Unicode.Scalar?, Unicode.Scalar?) = (nil, rest.next())
        var index = 0
        reach(0, at: index, before, next)
        swap(&places, &following)
        while let letter = next, !places.isEmpty {
            (before, next) = (letter, rest.next())
            index += 1
            for place in places { take(letter, at: place, index, next) }
            swap(&places, &following)
            following.removeAll(keepingCapacity: true)
        }
        return next == nil && places.contains { if case .end = program[$0] { true } else { false } }
    }

    private mutating func take(_ letter: Unicode.Scalar, at place: Int, _ index: Int, _ next: Unicode.Scalar?) {
        steps += 1
        guard case .letter(let set) = program[place], sets[set].contains(letter) else { return }
        reach(place + 1, at: index, letter, next)
    }

    /// Adds the positions that `place` leads to without a character.
    private mutating func reach(_ place: Int, at index: Int, _ before: Unicode.Scalar?, _ next: Unicode.Scalar?) {
        stack.append(place)
        while let place = stack.popLast() {
            guard reached[place] != index else { continue }
            reached[place] = index
            steps += 1
            switch program[place] {
            case .letter, .end: following.append(place)
            case .jump(let target): stack.append(target)
            case .split(let one, let other): stack += [other, one]
            case .require(let assertion): if holds(assertion, before, next) { stack.append(place + 1) }
            }
        }
    }

    private func holds(_ assertion: PatternNode.Assertion, _ before: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
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
