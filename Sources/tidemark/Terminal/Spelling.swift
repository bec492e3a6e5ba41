/// Guesses which known name somebody meant by an unknown one.
enum Spelling {
    /// The nearest name: one that differs by a few typing errors, otherwise
    /// the only one that contains all the words. Nil if nothing is near.
    static func nearest(to name: String, among names: [String]) -> String? {
        let limit = max(1, min(4, name.count / 4))
        let near = names.map { (distance: distance(name.lowercased(), $0.lowercased()), name: $0) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        if let near, near.distance <= limit { return near.name }
        let words = words(of: name)
        let fitting = names.filter { words.isSubset(of: self.words(of: $0)) }
        return words.isEmpty || fitting.count != 1 ? nil : fitting[0]
    }

    /// A question to append to a message; empty if nothing is near.
    static func suggestion(for name: String, among names: [String]) -> String {
        nearest(to: name, among: names).map { " Did you mean \($0)?" } ?? ""
    }

    private static func words(of name: String) -> Set<String> {
        Set(name.lowercased().split { $0 == "_" || $0 == "." || $0 == "-" }.map(String.init)).subtracting(["tidemark"])
    }

    /// How many characters to add, remove, replace, or swap with their neighbours (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var (before, last, row) = ([Int](), [Int](), Array(0...right.count))
        for (i, character) in left.enumerated() {
            (before, last, row) = (last, row, [i + 1])
            for (j, other) in right.enumerated() {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (character == other ? 0 : 1))
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
        }
        return row[right.count]
    }
}
