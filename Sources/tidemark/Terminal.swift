import ArgumentParser
import Foundation
import SyncClientCore
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

/// A progress bar on stderr. It shows nothing if stderr is not a terminal.
struct ProgressBar {
    private static let width = 30

    func show(_ progress: SyncProgress) {
        guard Terminal.isInteractive, let text = text(of: progress) else { return }
        Terminal.write("\r\u{1B}[K" + text)
    }

    /// Shows how much of a known number is done.
    func show(_ done: Int, of total: Int, _ unit: String) {
        guard Terminal.isInteractive else { return }
        Terminal.write("\r\u{1B}[K" + bar(done, of: total, unit))
    }

    /// Removes the bar.
    func clear() {
        if Terminal.isInteractive { Terminal.write("\r\u{1B}[K") }
    }

    /// Replaces the bar with a sentence.
    func finish(_ sentence: String) {
        clear()
        Terminal.message(sentence)
    }

    private func text(of progress: SyncProgress) -> String? {
        switch progress {
        case .pulled(let progress): text(progress)
        case .pushed(let progress): "\(counted(progress.rows, "row")) sent"
        case .waiting: nil
        }
    }

    private func text(_ progress: PullProgress) -> String {
        guard let total = progress.total, total > 0 else { return counted(progress.rows, "row") }
        return bar(Int(progress.rows), of: Int(total), "rows")
    }

    private func bar(_ done: Int, of total: Int, _ unit: String) -> String {
        let part = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let filled = Int(part * Double(ProgressBar.width))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: ProgressBar.width - filled)
        return "[\(bar)] \(Int(part * 100)) %  \(done) of \(total) \(unit)"
    }
}

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

/// A file that an operator names.
enum InputFile {
    /// The whole content. Throws a `CommandError` that says what is
    /// wrong with the path. `what` says which kind of file it is.
    static func read(_ path: String, _ what: String) throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandError("There is no \(what) \(path). Check the path.")
        }
        guard !isFolder.boolValue else {
            throw CommandError("The \(what) \(path) is a folder. Give the path of a file.")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("The \(what) \(path) can't be read by the user \(NSUserName()). Check its permissions.")
        }
        return data
    }
}

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
