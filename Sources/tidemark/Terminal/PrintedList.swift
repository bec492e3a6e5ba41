import Foundation
import SyncProtocol

/// The list that a command prints: aligned columns with headings on
/// a terminal, texts separated by tabs for another program, or JSON.
struct PrintedList {
    /// The columns, in order. Each is the name of a member of the rows.
    let columns: [String]
    let rows: [JSON]

    func show(asJSON: Bool) throws {
        if asJSON { return try Terminal.result(json: JSON.array(rows)) }
        try Terminal.result(lines(isWatched: isatty(STDOUT_FILENO) == 1))
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

    /// A flag that is set is shown as its own name. Line breaks, tabs and all that moves a terminal's cursor or turns
    /// the direction of writing become spaces: they would look like other rows and columns, or do worse.
    private func text(of value: JSON, _ column: String) -> String {
        switch value {
        case .null: "-"
        case .bool(let isSet): isSet ? column : "-"
        case .string(let text): text.plain
        default: value.plainText
        }
    }
}
