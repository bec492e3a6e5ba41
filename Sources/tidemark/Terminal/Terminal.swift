import Foundation

/// Where commands write: results to stdout (by `print`), all else here.
enum Terminal {
    /// Writes a line to stderr.
    static func message(_ text: String) { write(text + "\n") }

    /// Writes to stderr, without a line's end.
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// Whether somebody watches stderr, so that a progress bar makes sense.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }
}
