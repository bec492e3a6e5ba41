import Dispatch
import Foundation

/// Memory that was given back to the allocator, and that the allocator keeps.
///
/// glibc returns the end of a heap to the system by itself; what is free below one block that is in use stays resident. After
/// 10,000 idle connections that was 100 MB. `malloc_trim(3)` returns such pages, too. Where the C library has no such call,
/// nothing happens.
enum FreeMemory {
    private typealias Trim = @convention(c) (Int) -> Int32

    private static let trim: Trim? = {
        let program = UnsafeMutableRawPointer(bitPattern: 0)
        return dlsym(program, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
    }()

    /// Whether the C library has the call.
    static var isReturned: Bool { trim != nil }

    /// Returns it to the system, on a thread of its own: allocations wait meanwhile, for some milliseconds.
    static func returnToSystem() {
        guard let trim else { return }
        DispatchQueue.global(qos: .utility).async { _ = trim(0) }
    }
}
