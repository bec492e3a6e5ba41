import Foundation

/// File descriptors. Each connection needs one, and the database needs some.
package enum OpenFiles {
    /// Descriptors that are reserved for everything except connections.
    package static let reserve = 128

    /// How many descriptors this process may have now; nil if the system does not say.
    static var limit: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

    /// Raises this process's limit to the highest that needs no
    /// privileges, and returns it. `Int.max` if the system does not say.
    package static func raiseLimit() -> Int {
        guard var limit = limits else { return .max }
        if limit.rlim_cur < limit.rlim_max {
            let soft = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        }
        return Int(clamping: limit.rlim_cur)
    }

    private static var limits: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    // Swift imports glibc's enumeration as a type of its own.
    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
