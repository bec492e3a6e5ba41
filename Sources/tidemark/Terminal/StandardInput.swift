import Foundation

/// What commands read from stdin.
enum StandardInput {
    /// The first line, without its line break. Throws a `CommandError` if there is none.
    static func password() throws -> String {
        guard let line = readLine(strippingNewline: true) else {
            throw CommandError("There is no password on stdin. Write one line to it.")
        }
        return line
    }
}
