import Foundation

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
