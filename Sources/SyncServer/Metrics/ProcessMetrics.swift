import Foundation

/// The system's metrics of this process. A value is nil if the system does not have
/// it: resident memory and open descriptors need `/proc/self`, which Linux has.
struct ProcessMetrics {
    let residentBytes: Int?
    let descriptors: Int?
    let maximumDescriptors: Int?
    /// User and system CPU time.
    let processorSeconds: Double

    /// Reads the current values.
    init() {
        residentBytes = ProcessMetrics.pages.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
        descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        maximumDescriptors = OpenFiles.limit
        var usage = rusage()
        getrusage(ProcessMetrics.wholeProcess, &usage)
        processorSeconds = usage.ru_utime.seconds + usage.ru_stime.seconds
    }

    /// Resident pages: the second number of `/proc/self/statm`,
    /// https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
    private static var pages: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]) : nil
    }

    // Swift imports glibc's enumeration as a type of its own.
    #if canImport(Glibc)
        private static var wholeProcess: __rusage_who_t { RUSAGE_SELF.rawValue }
    #else
        private static var wholeProcess: Int32 { RUSAGE_SELF }
    #endif

    var samples: [Sample] {
        [
            residentBytes.map { Sample(.memory, Double($0)) },
            descriptors.map { Sample(.descriptors, Double($0)) },
            maximumDescriptors.map { Sample(.maximumDescriptors, Double($0)) },
            Sample(.processorTime, processorSeconds),
        ].compactMap { $0 }
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

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
