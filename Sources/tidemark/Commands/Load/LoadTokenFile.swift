import ArgumentParser
import Foundation
import SyncLoad
import SyncProtocol

/// A file of tokens: the JSON that `load prepare` printed, or one token on each line.
struct LoadTokenFile {
    let project: String?
    let tokens: [String]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError("Can't read the token file \(path). Check the path.")
        }
        let json = try? JSON(parsing: text)
        project = json?["project"]?.string
        tokens =
            json?["tokens"]?.array?.compactMap(\.string)
            ?? text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
    }
}
