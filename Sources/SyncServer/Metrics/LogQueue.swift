import Dispatch
import Foundation
import Synchronization

/// Texts on their way to an `Output`, which a thread of its own writes. So a full disk, a reader that is gone or one
/// that does not read neither ends nor delays whoever logs. What finds no room, or can't be written, is dropped and
/// counted.
package final class LogQueue: Sendable {
    /// How much may wait.
    static let room = 1 << 20
    /// How long a process that ends waits for its last lines.
    package static let patience: Duration = .seconds(2)

    private enum Entry: Sendable {
        case text(String)
        /// Is signalled when everything before it has been written or dropped.
        case mark(DispatchSemaphore)
    }

    private struct State {
        var entries: [Entry] = []
        /// What waits or is being written, in bytes.
        var bytes = 0
        var dropped = 0
    }

    private let output: Output
    private let room: Int
    private let state = Mutex(State())
    /// Is signalled once for each entry, and when the queue ends.
    private let news = DispatchSemaphore(value: 0)

    package init(_ output: Output, room: Int = LogQueue.room) {
        self.output = output
        self.room = room
        Thread.detachNewThread { [news, weak self] in
            var endsLine = true
            while true {
                news.wait()
                guard let self else { return }
                self.writeAll(&endsLine)
            }
        }
    }

    deinit { news.signal() }

    /// How many texts were dropped so far.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Takes a text with the line break at its end, from any thread. Never waits. One that is longer than all the room
    /// is taken if nothing else waits.
    package func write(_ text: String) {
        let bytes = text.utf8.count
        let isTaken = state.withLock { state in
            guard state.bytes == 0 || state.bytes + bytes <= room else {
                state.dropped += 1
                return false
            }
            state.bytes += bytes
            state.entries.append(.text(text))
            return true
        }
        if isTaken { news.signal() }
    }

    /// Returns when everything is written or dropped, or when the time is over.
    package func flush(within time: Duration = LogQueue.patience) {
        let mark = DispatchSemaphore(value: 0)
        state.withLock { $0.entries.append(.mark(mark)) }
        news.signal()
        _ = mark.wait(timeout: .now() + (time / .seconds(1)))
    }

    /// `endsLine` says whether the output is at the beginning of a line.
    private func writeAll(_ endsLine: inout Bool) {
        let entries = state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
        for entry in entries {
            switch entry {
            case .text(let text): write(text, &endsLine)
            case .mark(let mark): mark.signal()
            }
        }
    }

    private func write(_ text: String, _ endsLine: inout Bool) {
        var isWritten = true
        do {
            try output.write(endsLine ? text : "\n" + text)
            endsLine = true
        } catch {
            if error.written > 0 { endsLine = false }
            isWritten = false
        }
        state.withLock { state in
            state.bytes -= text.utf8.count
            if !isWritten { state.dropped += 1 }
        }
    }
}

/// A file descriptor for text, such as stderr. A write that fails throws, where `FileHandle.write` ends the process.
package struct Output: Sendable {
    /// Why a text, or a part of it, could not be written.
    package struct Failure: Error {
        /// The value of `errno`.
        package let code: Int32
        /// How many bytes of the text were written before.
        let written: Int

        /// In the system's words.
        package var reason: String { String(cString: strerror(code)) }
    }

    package static let results = Output(descriptor: STDOUT_FILENO)
    package static let messages = Output(descriptor: STDERR_FILENO)

    let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Has writes to a pipe without a reader fail, instead of ending the process. Gives descriptors 0 to 2 that are
    /// closed to `/dev/null`: a database or a connection would get the number, and the text.
    package static func prepareProcess() {
        signal(SIGPIPE, SIG_IGN)
        var free = open("/dev/null", O_RDWR)
        while (0...STDERR_FILENO).contains(free) { free = open("/dev/null", O_RDWR) }
        if free > STDERR_FILENO { close(free) }
    }

    /// Returns once all of the text is written. Waits for a reader as long as it takes.
    package func write(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { written += count } else { try retry(after: errno, written: written) }
        }
    }

    /// Throws, unless another attempt can succeed. A descriptor that others have made non-blocking is waited for.
    private func retry(after code: Int32, written: Int) throws(Failure) {
        switch code {
        case EINTR: return
        case EAGAIN:
            var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wish, 1, -1)
        default: throw Failure(code: code, written: written)
        }
    }
}
