import Foundation

/// Runs work as a user without rights, on its own thread: tests may run as root, which no file
/// refuses. Only Linux has rights for single threads
/// (https://man7.org/linux/man-pages/man2/setfsuid.2.html), and only root can give up its own.
enum Nobody {
    private typealias SetUser = @convention(c) (UInt32) -> Int32
    private static let id: UInt32 = 65_534
    private static let setUser = dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }

    static var isPossible: Bool { geteuid() != 0 || setUser != nil }

    /// Returns or throws what `body` does.
    static func run<Value>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let (box, done) = (Box<Value>(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            if geteuid() == 0 { _ = setUser?(id) }
            box.result = Result { try body() }
            done.signal()
        }
        done.wait()
        return try box.result!.get()
    }

    /// `@unchecked Sendable` because the thread has ended before the result is read.
    private final class Box<Value>: @unchecked Sendable { var result: Result<Value, any Error>? }
}
