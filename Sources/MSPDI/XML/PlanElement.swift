/// An element of a record, for example of a task, with everything inside it.
struct PlanElement {
    let name: String
    /// The line on which it starts, counted from 1.
    let line: Int
    /// Its text, unless it has children: MSPDI has no mixed content.
    var text = ""
    var children: [PlanElement] = []

    /// The text of the first child with this name, without white space at its ends. Nil
    /// when there is none or it is empty.
    subscript(_ name: String) -> String? {
        guard let text = children.first(where: { $0.name == name })?.text.trimmed, !text.isEmpty else { return nil }
        return text
    }

    func all(_ name: String) -> [PlanElement] { children.filter { $0.name == name } }

    /// The records of a list, for example the `WeekDay`s of `WeekDays`.
    func all(_ name: String, in list: String) -> [PlanElement] { all(list).flatMap { $0.all(name) } }

    func has(_ name: String) -> Bool { children.contains { $0.name == name } }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        if let first = utf8.first, let last = utf8.last, (0x21..<0x80).contains(first), (0x21..<0x80).contains(last) {
            return self
        }
        guard let first, let last, first.isWhitespace || last.isWhitespace else { return self }
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}
