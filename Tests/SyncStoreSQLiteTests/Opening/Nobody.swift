import Foundation

/// Work as a user without rights, on a thread of its own: tests may run as root, whom no file refuses. Linux alone
/// knows rights of a thread, https://man7.org/linux/man-pages/man2/setfsuid.2.html, and only root can give its own
/// away.
enum Nobody {
    private typealias SetUser = @convention(c) (UInt32) -> Int32
    private static let id: UInt32 = 65_534
    private static let setUser = dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }

    static var isPossible: Bool { geteuid() != 0 || setUser != nil }

    /// What `body` comes to.
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

    /// `@unchecked Sendable` because the thread has ended when the result is read.
    private final class Box<Value>: @unchecked Sendable { var result: Result<Value, any Error>? }
}
