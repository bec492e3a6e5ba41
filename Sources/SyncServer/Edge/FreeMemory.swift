import Dispatch
import Foundation

/// Memory that the program has freed and the allocator keeps.
///
/// glibc returns only the end of a heap to the system by itself. Free memory below a block
/// in use stays resident. After 10,000 idle connections that was 100 MB. `malloc_trim(3)`
/// returns such pages, too. If the C library has no such call, nothing happens.
enum FreeMemory {
    private typealias Trim = @convention(c) (Int) -> Int32

    private static let trim: Trim? = {
        let program = UnsafeMutableRawPointer(bitPattern: 0)
        return dlsym(program, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }
    }()

    /// Whether the C library has `malloc_trim`.
    static var isReturned: Bool { trim != nil }

    /// Returns free memory to the system, on another thread. Allocations wait meanwhile, for some milliseconds.
    static func returnToSystem() {
        guard let trim else { return }
        DispatchQueue.global(qos: .utility).async { _ = trim(0) }
    }
}
