import SyncProtocol
import SyncTestKit

@testable import MSPDI

/// A plan that was written, parsed as text.
struct WrittenDocument {
    struct Element {
        let name: String
        var text = ""
        var children: [Element] = []

        subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }
        func all(_ name: String) -> [Element] { children.filter { $0.name == name } }
    }

    let root: Element

    /// Understands only what the writer writes: no comments, and attributes only on the root.
    init(_ text: String) {
        var open = [Element(name: "")]
        for piece in text.split(separator: "<").dropFirst() {
            let end = piece.firstIndex(of: ">") ?? piece.endIndex
            let tag = piece[..<end]
            if tag.hasPrefix("/") {
                guard let last = open.popLast() else { break }
                open[open.count - 1].children.append(last)
            } else if !tag.hasPrefix("?") {
                let name = String(tag.prefix { $0 != " " })
                open.append(Element(name: name, text: String(piece[end...].dropFirst())))
            }
        }
        root = open[0].children.first ?? Element(name: "")
    }

    var tasks: [Element] { root.all("Tasks").first?.all("Task").filter { $0["UID"] != "0" } ?? [] }
}

extension PlanFixture {
    /// Writes the plan and reads it again.
    static func again(_ plan: ImportedPlan) throws -> (plan: ImportedPlan, written: WrittenPlan) {
        let written = PlanWriter(rows: plan.rows, users: users).write()
        return (try read(written.text), written)
    }

    /// The rows that one plan has more often than the other.
    static func difference(_ one: ImportedPlan, _ other: ImportedPlan) -> [String] {
        let (left, right) = (RowShape(one.rows), RowShape(other.rows))
        return left.missing(from: right).map { "- " + $0 } + right.missing(from: left).map { "+ " + $0 }
    }
}
