import Foundation

/// The limit on open files, since each client takes a file descriptor.
enum FileLimit {
    /// The number of files that the process needs besides its clients.
    private static let others = 64

    /// Raises the soft limit if it is too low. Throws what to do if the hard limit is too low.
    static func raise(for clients: Int) throws(LoadError) {
        let needed = rlim_t(clients + others)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < needed else { return }
        let allowed = limit.rlim_cur
        limit.rlim_cur = min(needed, limit.rlim_max)
        guard limit.rlim_max >= needed, setrlimit(resource, &limit) == 0 else {
            throw LoadError(
                "\(clients) clients need \(needed) open files, and the limit is \(allowed). "
                    + "Raise it: ulimit -n \(needed)"
            )
        }
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
