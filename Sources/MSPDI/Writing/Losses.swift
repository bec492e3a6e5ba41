/// What rows hold and the plan made of them does not, or an import of that plan would not take: by field, one line for
/// each reason.
///
/// A class, because everything that writes a part of one plan adds to one list.
final class Losses {
    private struct Reason: Hashable {
        var place: String
        var text: String
    }

    private var order: [Reason] = []
    private var counts: [Reason: Int] = [:]

    /// Adds `number` rows in which `place`, as `tasks.status`, is lost.
    func add(_ place: String, _ text: String, rows number: Int = 1) {
        guard number > 0 else { return }
        let reason = Reason(place: place, text: text)
        if counts[reason] == nil { order.append(reason) }
        counts[reason, default: 0] += number
    }

    /// "tasks.status of 3 rows: …", in the order in which their first cause was met.
    var lines: [String] {
        order.map { "\($0.place) of \(counted(counts[$0, default: 0], "row")): \($0.text)" }
    }
}

extension Losses {
    /// The text as a plan can hold it, and an import takes it.
    func held(_ text: String, of place: String) -> String {
        var held = text
        if !text.unicodeScalars.allSatisfy(\.isXML) {
            held = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isXML ? $0 : "\u{FFFD}" }))
            add(place, "XML can't hold some control characters, U+FFFD stands for them")
        }
        if held.trimmed.utf8.count != held.utf8.count { add(place, "white space at an end, which an import drops") }
        if held.utf8.count > ElementBuilder.longestText {
            add(place, "longer than 1 MiB, of which an import drops the end")
        }
        return held
    }
}
