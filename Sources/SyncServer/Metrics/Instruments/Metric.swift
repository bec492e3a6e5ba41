import SyncStore

/// A family of `GET /metrics`: what is measured, and how.
struct Metric: Sendable, Hashable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    let name: String
    let kind: Kind
    let help: String
    /// Of a histogram's buckets, ascending.
    var bounds: [Double] = []
}

/// Each is in the table of `docs/operations.md`; a test holds the two equal.
extension Metric {
    static let requests = Metric(
        name: "tidemark_http_requests_total", kind: .counter, help: "Answered requests by route, method and status.")
    static let durations = Metric(
        name: "tidemark_http_request_duration_seconds", kind: .histogram,
        help: "Time from a request's head to its answer's, by route.",
        bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])
    static let problems = Metric(
        name: "tidemark_problems_total", kind: .counter, help: "Refused requests by error code.")

    static let connections = Metric(
        name: "tidemark_http_connections", kind: .gauge, help: "Open connections.")

    static let uploadedRows = Metric(
        name: "tidemark_upload_rows_total", kind: .counter,
        help: "Uploaded rows by outcome: applied, skipped, rejected, or refused with the whole batch.")
    static let replays = Metric(
        name: "tidemark_upload_replays_total", kind: .counter, help: "Batches that were answered before.")

    static let cacheRequests = Metric(
        name: "tidemark_page_cache_requests_total", kind: .counter,
        help: "Pages asked of the cache by result: kept, awaited from another reader, missing.")
    static let cachePages = Metric(name: "tidemark_page_cache_pages", kind: .gauge, help: "Pages in the cache.")
    static let cacheBytes = Metric(
        name: "tidemark_page_cache_bytes", kind: .gauge, help: "Memory that they take, roughly.")

    static let commits = Metric(
        name: "tidemark_commits_total", kind: .counter, help: "Transactions that this process committed.")
    static let groups = Metric(
        name: "tidemark_commit_group_size", kind: .histogram, help: "Writes that shared a commit.",
        bounds: StoreMetrics().groups.bounds)
    static let waitingWrites = Metric(
        name: "tidemark_write_queue_length", kind: .gauge, help: "Writes that wait for the writer.")
    static let logBytes = Metric(
        name: "tidemark_wal_bytes", kind: .gauge, help: "Size of the database's write-ahead log.")

    static let newestBackup = Metric(
        name: "tidemark_backup_newest_timestamp_seconds", kind: .gauge,
        help: "When the newest backup was made, in seconds since 1970.")

    static let build = Metric(
        name: "tidemark_build_info", kind: .gauge, help: "1, with versions as labels.")
    static let memory = Metric(
        name: "process_resident_memory_bytes", kind: .gauge, help: "Memory of the process.")
    static let descriptors = Metric(name: "process_open_fds", kind: .gauge, help: "Open file descriptors.")
    static let maximumDescriptors = Metric(
        name: "process_max_fds", kind: .gauge, help: "The limit on open file descriptors.")
    static let processorTime = Metric(
        name: "process_cpu_seconds_total", kind: .counter, help: "User and system time of the process.")

    static let all = [
        requests, durations, problems, connections, uploadedRows, replays, cacheRequests, cachePages, cacheBytes,
        commits, groups, waitingWrites, logBytes, newestBackup, build, memory, descriptors, maximumDescriptors,
        processorTime,
    ]

    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
