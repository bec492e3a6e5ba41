import Foundation
import SyncStore

/// The values that the server runs with, and where each comes from.
struct EffectiveSettings {
    /// Where a value comes from. The first origin that has a value wins.
    enum Origin: String, CaseIterable {
        case flag, environment, file, `default`
    }

    var values = ServerSettings()
    /// By key. A setting whose key is missing here has its default.
    var origins: [String: Origin] = [:]

    /// One line for each setting, in columns: key, value, origin, variable. Secrets
    /// are `***`. `others` are options that are not settings: name, value and origin.
    func table(others: [(name: String, value: String, origin: Origin)]) -> String {
        let rows =
            [["setting", "value", "from", "variable"]]
            + others.map { [$0.name, $0.value, $0.origin.rawValue, ""] }
            + Setting.all.map { [$0.key, $0.shown(in: values), (origins[$0.key] ?? .default).rawValue, $0.variable] }
        let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
                .joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}

extension Setting {
    /// The value as people see it.
    fileprivate func shown(in settings: ServerSettings) -> String {
        let text = kind.text(in: settings)
        return isSecret && !text.isEmpty ? "***" : text
    }
}
