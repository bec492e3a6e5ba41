/// What the rows hold that the plan does not, or that an import of the plan would not accept.
/// One line for each field and reason.
///
/// A class, because all writers of one plan add to the same list.
final class Losses {
    private struct Reason: Hashable {
        var place: String
        var text: String
    }

    private var order: [Reason] = []
    private var counts: [Reason: Int] = [:]

    /// Adds `number` rows in which the field `place`, such as `tasks.status`, is lost.
    func add(_ place: String, _ text: String, rows number: Int = 1) {
        guard number > 0 else { return }
        let reason = Reason(place: place, text: text)
        if counts[reason] == nil { order.append(reason) }
        counts[reason, default: 0] += number
    }

    /// Lines such as "tasks.status of 3 rows: …", ordered by their first cause.
    var lines: [String] {
        order.map { "\($0.place) of \(counted(counts[$0, default: 0], "row")): \($0.text)" }
    }
}

extension Losses {
    /// The text in the form that a plan can hold. Adds a loss for what is changed, or what an import would change.
    func held(_ text: String, of place: String) -> String {
        var held = text
        if !text.unicodeScalars.allSatisfy(\.isXML) {
            held = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isXML ? $0 : "\u{FFFD}" }))
            add(place, "has control characters that XML can't hold: replaced by U+FFFD")
        }
        if held.trimmed.utf8.count != held.utf8.count { add(place, "has white space at an end, which an import drops") }
        if held.utf8.count > ElementBuilder.longestText {
            add(place, "is longer than 1 MiB: an import drops its end")
        }
        return held
    }
}
