import Foundation
import SyncProtocol

/// The list that a command prints: aligned columns with headings on
/// a terminal, texts separated by tabs for another program, or JSON.
struct PrintedList {
    /// The columns, in order. Each is the name of a member of the rows.
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

    /// A flag that is set is shown as its own name. Line breaks, tabs and all that moves a terminal's cursor or turns
    /// the direction of writing become spaces: they would look like other rows and columns, or do worse.
    private func text(of value: JSON, _ column: String) -> String {
        switch value {
        case .null: "-"
        case .bool(let isSet): isSet ? column : "-"
        case .string(let text): Self.plain(text)
        default: value.text
        }
    }

    private static func plain(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            scalars.append(scalar.isPlain ? scalar : " ")
        }
        return String(scalars)
    }
}

extension Unicode.Scalar {
    /// Joiners hold the parts of some characters together.
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: value == 0x200C || value == 0x200D
        default: true
        }
    }
}
