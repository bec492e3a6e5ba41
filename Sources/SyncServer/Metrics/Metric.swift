import SyncStore

/// A metric family of `GET /metrics`.
struct Metric: Sendable, Hashable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    let name: String
    let kind: Kind
    let help: String
    /// The upper bounds of a histogram's buckets, ascending; empty for other kinds.
    var bounds: [Double] = []
}

/// Every metric is in the table of `docs/operations/watch.md`; a test checks that.
extension Metric {
    static let requests = Metric(
        name: "tidemark_http_requests_total", kind: .counter, help: "Answered requests by route, method and status.")
    static let durations = Metric(
        name: "tidemark_http_request_duration_seconds", kind: .histogram,
        help: "Time from a request's head to its answer's head in seconds, by route.",
        bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])
    static let problems = Metric(
        name: "tidemark_problems_total", kind: .counter, help: "Refused requests by error code.")

    static let connections = Metric(
        name: "tidemark_http_connections", kind: .gauge, help: "Open connections.")
    static let bodyBytes = Metric(
        name: "tidemark_http_body_bytes", kind: .gauge,
        help: "Bytes of the request bodies that are under way.")

    static let eventStreams = Metric(name: "tidemark_event_streams", kind: .gauge, help: "Open event streams.")
    static let heldPulls = Metric(
        name: "tidemark_held_pulls", kind: .gauge, help: "Pulls that wait for something new.")
    static let pokeDelay = Metric(
        name: "tidemark_event_delay_seconds", kind: .histogram,
        help: "Time from when the server heard of a commit to the writing of its poke, in seconds.",
        bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5])
    static let mergedPokes = Metric(
        name: "tidemark_events_merged_total", kind: .counter,
        help: "Commits that were merged into a poke that had not left yet, by stream.")
    static let slowStreams = Metric(
        name: "tidemark_event_streams_slow_total", kind: .counter,
        help: "Event streams that were closed because their client did not read.")

    static let uploadedRows = Metric(
        name: "tidemark_upload_rows_total", kind: .counter,
        help: "Uploaded rows by outcome: applied, skipped, rejected, or refused with the whole batch.")
    static let replays = Metric(
        name: "tidemark_upload_replays_total", kind: .counter,
        help: "Batches that were sent again and got their first answer.")

    static let cacheRequests = Metric(
        name: "tidemark_page_cache_requests_total", kind: .counter,
        help: "Pages requested from the cache by result: kept, awaited from another reader, missing.")
    static let cachePages = Metric(name: "tidemark_page_cache_pages", kind: .gauge, help: "Pages in the cache.")
    static let cacheBytes = Metric(
        name: "tidemark_page_cache_bytes", kind: .gauge, help: "Approximate memory of the cached pages in bytes.")

    static let commits = Metric(
        name: "tidemark_commits_total", kind: .counter, help: "Transactions that this process committed.")
    static let groups = Metric(
        name: "tidemark_commit_group_size", kind: .histogram, help: "Number of writes that shared a commit.",
        bounds: StoreMetrics().groups.bounds)
    static let waitingWrites = Metric(
        name: "tidemark_write_queue_length", kind: .gauge, help: "Writes that are waiting for the writer.")
    static let logBytes = Metric(
        name: "tidemark_wal_bytes", kind: .gauge, help: "Size of the database's write-ahead log in bytes.")

    static let markQuestions = Metric(
        name: "tidemark_database_question_duration_seconds", kind: .histogram,
        help: "Time that the shared database took to say what is new, in seconds.",
        bounds: SharedDatabaseMetrics.times)
    static let heartbeatAge = Metric(
        name: "tidemark_database_heartbeat_age_seconds", kind: .gauge,
        help: "Time since the shared database took this server's last heartbeat.")
    static let clockGap = Metric(
        name: "tidemark_database_clock_gap_seconds", kind: .gauge,
        help: "By how much the machine's clock is ahead of the shared database's in seconds; negative if it is behind.")
    static let servers = Metric(
        name: "tidemark_servers", kind: .gauge, help: "Servers that work on the shared database.")
    static let usedConnections = Metric(
        name: "tidemark_database_connections_used", kind: .gauge,
        help: "Connections to the shared database that are in use, by purpose.")
    static let awaitedConnections = Metric(
        name: "tidemark_database_connections_awaited", kind: .gauge,
        help: "Requests that wait for a connection to the shared database, by purpose.")

    static let devices = Metric(
        name: "tidemark_devices", kind: .gauge, help: "Devices in the ledger, counted every ten minutes.")
    static let devicesBelowHorizon = Metric(
        name: "tidemark_devices_below_horizon", kind: .gauge,
        help: "Devices that have to pull a project from 0, because it was purged or restored since their last pull.")

    static let newestBackup = Metric(
        name: "tidemark_backup_newest_timestamp_seconds", kind: .gauge,
        help: "When the newest backup was made, in seconds since 1970.")

    static let droppedLogLines = Metric(
        name: "tidemark_log_lines_dropped_total", kind: .counter,
        help: "Log lines that could not be written, or found no room because nobody reads the log.")

    static let causes = Metric(
        name: "tidemark_cause", kind: .gauge,
        help: "1 while this keeps the server from working, or may soon; 0 otherwise.")

    static let build = Metric(
        name: "tidemark_build_info", kind: .gauge, help: "Always 1; the labels are versions.")
    static let memory = Metric(
        name: "process_resident_memory_bytes", kind: .gauge, help: "Resident memory of the process in bytes.")
    static let descriptors = Metric(name: "process_open_fds", kind: .gauge, help: "Open file descriptors.")
    static let maximumDescriptors = Metric(
        name: "process_max_fds", kind: .gauge, help: "The limit on open file descriptors.")
    static let processorTime = Metric(
        name: "process_cpu_seconds_total", kind: .counter, help: "User and system CPU time of the process in seconds.")

    static let all = [
        requests, durations, problems, connections, bodyBytes, eventStreams, heldPulls, pokeDelay, mergedPokes,
        slowStreams, uploadedRows, replays, cacheRequests, cachePages, cacheBytes,
        commits, groups, waitingWrites, logBytes, markQuestions, heartbeatAge, clockGap, servers,
        usedConnections, awaitedConnections, devices, devicesBelowHorizon, newestBackup, droppedLogLines, causes, build,
        memory,
        descriptors, maximumDescriptors, processorTime,
    ]

    static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
