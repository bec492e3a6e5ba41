import Foundation
import SyncProtocol

/// What a command lists: aligned columns with their names for a person at a terminal, texts with tabs between them for
/// another program, or JSON.
struct PrintedList {
    /// The names of the columns in their order: members of each row.
    let columns: [String]
    let rows: [JSON]

    func show(asJSON: Bool) {
        if asJSON { return print(JSON.array(rows).text) }
        for line in lines(isWatched: isatty(STDOUT_FILENO) == 1) { print(line) }
    }

    func lines(isWatched: Bool) -> [String] {
        let cells = rows.map { row in columns.map { text(of: row[$0] ?? .null, $0) } }
        guard isWatched, !cells.isEmpty else { return cells.map { $0.joined(separator: "\t") } }
        let table = [columns.map { $0.replacing("_", with: " ").uppercased() }] + cells
        let widths = columns.indices.map { column in table.map(\.[column].count).max() ?? 0 }
        return table.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingCharacters(in: .whitespaces)
        }
    }

    /// A flag is its own name where it is set. Line breaks and tabs would look like other rows and columns.
    private func text(of value: JSON, _ column: String) -> String {
        switch value {
        case .null: "-"
        case .bool(let isSet): isSet ? column : "-"
        case .string(let text): String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        default: value.text
        }
    }
}
