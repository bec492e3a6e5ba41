import SyncProtocol

extension LoadReport {
    /// What a reader must know to interpret the measurements.
    var facts: [(name: String, text: String)] {
        [
            ("Date", circumstances.date), ("Server", server), ("Machine", machine), ("Project", project),
            ("Load", load), ("Measured", measured), ("Moved", totals), ("Checked", checked),
        ].filter { !$0.1.isEmpty }
    }

    private var server: String {
        let version =
            plan.profile == .get ? "" : ", Tidemark \(circumstances.version ?? "of unknown version")"
        return plan.target.authority + version
    }

    private var machine: String {
        circumstances.machine.text + (plan.target.isLocal ? "; server and load tester on it" : " (of the load tester)")
    }

    private var project: String {
        projectRows > 0
            ? "\(counted(projectRows, "row")) for each user\(plan.profile.writes ? ", at the end" : "")" : ""
    }

    private var load: String {
        let loop = plan.rate.map { "open loop at \(Self.number($0)) requests/s" } ?? "closed loop"
        var parts = ["\(counted(plan.clients, "client")) on \(counted(plan.threads, "thread"))", loop]
        if let size = plan.pageSize { parts.append("pages of \(counted(size, "row"))") }
        if plan.profile.writes { parts.append("batches of \(counted(plan.rowsPerBatch, "row"))") }
        parts.append("gzip \(plan.acceptsGzip ? "accepted" : "not accepted")")
        return parts.joined(separator: ", ")
    }

    private var measured: String {
        Self.number(seconds) + " s" + (plan.warmUp > 0 ? " after \(Self.number(plan.warmUp)) s of warm-up" : "")
    }

    var totals: String {
        let (perSecond, megabytes) = (Double(rows) / seconds, Double(bytes) / 1e6)
        return "\(counted(requests, "request")) (\(Self.number(Double(requests) / seconds))/s), "
            + "\(counted(rows, "row")) (\(Self.number(perSecond))/s), \(Self.number(megabytes)) MB "
            + "(\(Self.number(megabytes / seconds)) MB/s)"
    }

    var checked: String {
        guard plan.profile != .get else { return "status 200 and equal bytes" }
        let inRows = "\(counted(checks.inspectedRows, "row")), \(checks.digestedDrains.grouped) by digest"
        var parts = ["\(counted(checks.inspectedDrains, "drain")) row by row (\(inRows))"]
        if checks.comparedDrains > 0 { parts.append("\(checks.comparedDrains.grouped) by the hashes of their pages") }
        if checks.polls > 0 { parts.append(counted(checks.polls, "poll")) }
        if checks.uploads > 0 { parts.append(counted(checks.uploads, "upload")) }
        return parts.joined(separator: ", ")
    }
}
