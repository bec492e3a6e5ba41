import ArgumentParser
import Foundation
import SyncProtocol
import SyncServer
import Synchronization

/// Where commands write: results to stdout, everything else to stderr. Nothing here ends the process.
enum Terminal {
    /// The exit status when whoever reads stdout is gone, as the shell shows it for programs that SIGPIPE ends.
    static let readerGone = ExitCode(128 + SIGPIPE)

    /// What the messages of a server go through; nil in other commands.
    private static let queue = Mutex<LogQueue?>(nil)

    /// From now on messages go through a queue, so nothing that reads stderr can hold up or end the process.
    static func beginQueueing() -> LogQueue {
        let queue = LogQueue(.messages)
        Self.queue.withLock { $0 = queue }
        return queue
    }

    /// Gives messages that wait in the queue a moment to get out.
    static func flush() { queue.withLock(\.self)?.flush() }

    /// Writes a line to stderr.
    static func message(_ text: String) { write(text + "\n") }

    /// Writes to stderr, without a line break at the end. A text that can't be written is dropped.
    static func write(_ text: String) {
        guard let queue = queue.withLock(\.self) else {
            try? Output.messages.write(text)
            return
        }
        queue.write(text)
    }

    /// Writes lines to stdout. Throws `readerGone` if nobody reads them any more, and a `CommandError` if they can't be
    /// written, because a result that is not complete must not look like one.
    static func result(_ line: String) throws { try result([line]) }

    static func result(_ lines: [String]) throws { try result(text: lines.map { $0 + "\n" }.joined()) }

    /// A line of JSON that a terminal shows as it is.
    static func result(json: JSON) throws { try result(json.plainText) }

    /// The same without a line break at the end.
    static func result(text: String) throws {
        do {
            try Output.results.write(text)
        } catch {
            guard error.code != EPIPE else { throw readerGone }
            throw CommandError("Can't write the result to stdout: \(error.reason).")
        }
    }

    /// Whether stderr is a terminal, so a progress bar makes sense.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }
}
