import Foundation

/// Where commands write. Results go to stdout with `print`, everything else goes to stderr from here.
enum Terminal {
    /// Writes a line to stderr.
    static func message(_ text: String) { write(text + "\n") }

    /// Writes to stderr, without a line break at the end.
    static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// Whether stderr is a terminal, so a progress bar makes sense.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }
}
