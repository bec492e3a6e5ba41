import Foundation

/// What commands read.
enum StandardInput {
    /// The first line, without its end.
    static func password() throws -> String {
        guard let line = readLine(strippingNewline: true) else {
            throw CommandError("There is no password on stdin. Write one line to it.")
        }
        return line
    }
}
