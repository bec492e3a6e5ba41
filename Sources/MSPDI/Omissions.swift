/// What a plan holds and its rows do not. One line each; equal entries share a line with their number.
///
/// A class, because all readers of one plan add to the same list.
final class Omissions {
    /// The most lines of one kind that are written out. The rest are only counted.
    static let linesOfAKind = 1000

    private enum Entry {
        case line(String)
        case count(Counted)
        case rest(of: String)
    }

    private struct Counted: Hashable {
        var before: String
        var noun: String
        var after: String
    }

    private var entries: [Entry] = []
    private var counts: [Counted: Int] = [:]
    /// The most lines with a number. A plan can have elements of any names.
    private static let countedLines = 10_000
    private var kinds: [String: Int] = [:]

    /// Adds a separate line.
    func add(_ line: String) { entries.append(.line(line)) }

    /// Adds a line of a kind that may have very many.
    func add(_ line: String, kind: String) {
        let number = kinds[kind, default: 0] + 1
        kinds[kind] = number
        if number <= Omissions.linesOfAKind { add(line) }
        if number == Omissions.linesOfAKind + 1 { entries.append(.rest(of: kind)) }
    }

    /// Adds one to the line "`before` n `noun`s `after`".
    func count(_ before: String, _ noun: String, after: String = "", by number: Int = 1) {
        var key = Counted(before: before, noun: noun, after: after)
        if counts[key] == nil, counts.count >= Omissions.countedLines {
            key = Counted(before: "and", noun: "more line", after: "of other kinds")
        }
        if counts[key] == nil { entries.append(.count(key)) }
        counts[key, default: 0] += number
    }

    /// All lines, ordered by their first cause.
    var lines: [String] {
        entries.map { entry in
            switch entry {
            case .line(let line): line
            case .rest(let kind): "and \(counted(kinds[kind, default: 0] - Omissions.linesOfAKind, "more \(kind)"))"
            case .count(let key):
                [key.before, counted(counts[key, default: 0], key.noun), key.after]
                    .filter { !$0.isEmpty }.joined(separator: " ")
            }
        }
    }
}

/// "1 task", "2 tasks".
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
