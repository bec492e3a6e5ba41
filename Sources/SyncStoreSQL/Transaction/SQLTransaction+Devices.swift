import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func devices(of user: Int64, in project: String?) throws -> [Device] {
        var devices: [Device] = []
        try each(DeviceSQL.devices, [.int(user), project.map(JSON.string) ?? .null], isKept: true) { row in
            let id = ExactText(row.string(0))
            let project = row.string(1)
            let activity = DeviceActivity(row)
            if devices.last?.key.id == id {
                devices[devices.count - 1].add(activity, in: project)
            } else {
                devices.append(
                    Device(
                        key: DeviceKey(user: user, id: id), name: row.dated(5) { row.string($0) },
                        appVersion: row.dated(7) { row.string($0) }, overall: activity))
            }
            return true
        }
        return devices
    }

    package func usersWithDevices(after: Int64, limit: Int) throws -> [Int64] {
        try all(
            "SELECT DISTINCT user_id FROM tidemark_devices WHERE user_id > ?1 ORDER BY user_id LIMIT ?2",
            [.int(after), .int(Int64(limit))]
        ) { $0.integer(0) }
    }

    package func deviceCounts() throws -> DeviceCounts {
        try first(statements.devices.counts) {
            DeviceCounts(known: Int($0.integer(0)), belowHorizon: Int($0.integer(1)))
        } ?? DeviceCounts(known: 0, belowHorizon: 0)
    }

    package func merge(_ devices: [Device]) throws {
        try write(devices.flatMap(\.rows), statements.devices.merge)
        let users = Set(devices.map(\.key.user)).sorted()
        try write(users.map { [.int($0), .int(Int64(Device.mostOfUser))] }, DeviceSQL.prune)
    }

    package func forgetDevice(_ key: DeviceKey) throws -> Bool {
        try change(
            "DELETE FROM tidemark_devices WHERE user_id = ?1 AND device_id = ?2",
            [.int(key.user), .string(key.id.rawValue)]) > 0
    }
}

extension SQLRow {
    /// The value of a column, which may be null, and the time in the next one.
    fileprivate func dated<Value>(_ column: Int32, _ read: (Int32) -> Value?) -> Dated<Value>? {
        guard !isNull(column), let value = read(column) else { return nil }
        return Dated(value, at: instant(column + 1))
    }
}

extension DeviceActivity {
    /// A row of `DeviceSQL.devices`.
    fileprivate init(_ row: some SQLRow) {
        self.init(
            firstSeen: row.instant(2), lastSeen: row.instant(3), lastUpload: row.optionalInstant(4),
            watermark: row.dated(9) { row.integer($0) }, sent: row.dated(15) { row.integer($0) },
            lastError: row.dated(11) { row.string($0) },
            comparison: row.dated(13) { Comparison(rawValue: row.string($0)) })
    }

    /// The values of `DeviceSQL.columns`.
    fileprivate func columns(name: Dated<String>? = nil, appVersion: Dated<String>? = nil) -> [JSON] {
        [.int(firstSeen.milliseconds), .int(lastSeen.milliseconds), lastUpload.map { .int($0.milliseconds) } ?? .null]
            + pair(name, JSON.string) + pair(appVersion, JSON.string) + pair(watermark, JSON.int)
            + pair(lastError, JSON.string) + pair(comparison) { .string($0.rawValue) } + pair(sent, JSON.int)
    }

    private func pair<Value>(_ dated: Dated<Value>?, _ json: (Value) -> JSON) -> [JSON] {
        dated.map { [json($0.value), .int($0.at.milliseconds)] } ?? [.null, .null]
    }
}

extension Device {
    /// The rows of the table: one for all projects, and one for each of them.
    fileprivate var rows: [[JSON]] {
        let key: [JSON] = [.int(key.user), .string(key.id.rawValue)]
        return [key + [""] + overall.columns(name: name, appVersion: appVersion)]
            + projects.map { key + [.string($0.key)] + $0.value.columns() }
    }
}

/// The statements of the ledger of devices.
struct DeviceSQL: Sendable {
    /// The values that have a time of their own.
    private static let dated = ["name", "app_version", "watermark", "last_error", "digest", "sent"]
    /// All columns after the key, in the order of `DeviceRow`.
    static let columns =
        ["first_seen", "last_seen", "last_upload"] + dated.flatMap { [$0, $0 + "_at"] }
    private static let key = ["user_id", "device_id", "project_id"]

    /// Merges a row with the one that is there.
    let merge: String
    let counts: String

    init(_ dialect: any SQLDialect) {
        merge = DeviceSQL.merge
        counts = DeviceSQL.counts(dialect)
    }

    /// Deletes the devices of the user ?1 beyond the number ?2, those that were seen least recently.
    static let prune = """
        DELETE FROM tidemark_devices WHERE user_id = ?1 AND device_id NOT IN (
          SELECT device_id FROM tidemark_devices WHERE user_id = ?1 AND project_id = ''
          ORDER BY last_seen DESC, device_id LIMIT ?2)
        """

    /// The rows of the user ?1 by device, the one for all projects first. ?2 is a project, or null for all of them.
    static let devices = """
        SELECT device_id, project_id, \(columns.joined(separator: ", ")) FROM tidemark_devices
        WHERE user_id = ?1 AND (CAST(?2 AS TEXT) IS NULL OR project_id IN ('', ?2)) ORDER BY device_id, project_id
        """

    private static var merge: String {
        let all = key + columns
        let updates =
            [
                "first_seen = CASE WHEN excluded.first_seen < tidemark_devices.first_seen "
                    + "THEN excluded.first_seen ELSE tidemark_devices.first_seen END",
                later("last_seen", by: "last_seen"), later("last_upload", by: "last_upload"),
            ] + dated.flatMap { [later($0, by: $0 + "_at"), later($0 + "_at", by: $0 + "_at")] }
        return """
            INSERT INTO tidemark_devices (\(all.joined(separator: ", ")))
            VALUES (\(all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))
            ON CONFLICT (user_id, device_id, project_id) DO UPDATE SET \(updates.joined(separator: ", "))
            """
    }

    /// Sets `column` to the new value unless the stored one is later by the column `time`.
    private static func later(_ column: String, by time: String) -> String {
        """
        \(column) = CASE WHEN excluded.\(time) IS NULL OR tidemark_devices.\(time) > excluded.\(time)
          THEN tidemark_devices.\(column) ELSE excluded.\(column) END
        """
    }

    /// The number of devices, and of those that a purge or a restore has left behind in a project of their user. What
    /// counts is the kind of watermark that the device presented last.
    private static func counts(_ dialect: any SQLDialect) -> String {
        let served = dialect.greatest("p.horizon", "p.floor")
        return """
            SELECT COUNT(*), COALESCE(SUM(CASE WHEN EXISTS (
              SELECT 1 FROM tidemark_devices d
              JOIN tidemark_projects p ON p.id = d.project_id AND p.is_deleted = 0
              JOIN tidemark_access a ON a.user_id = d.user_id AND a.project_id = p.id AND a.role IS NOT NULL
              WHERE d.user_id = o.user_id AND d.device_id = o.device_id
                AND d.watermark > 0 AND d.watermark < \(served)
                AND d.watermark_at >= COALESCE(o.watermark_at, d.watermark_at)
            ) OR (o.watermark > \(CommitNumber.limit) AND EXISTS (
              SELECT 1 FROM tidemark_stints s
              JOIN tidemark_projects p ON p.id = s.project_id AND p.is_deleted = 0
              WHERE s.user_id = o.user_id AND s.until_seq = \(SyncSeq.maximum.rawValue) AND \(served) > s.from_seq
                AND NOT EXISTS (
                  SELECT 1 FROM tidemark_devices d WHERE d.user_id = o.user_id AND d.device_id = o.device_id
                    AND d.project_id = p.id AND d.watermark_at >= o.watermark_at)
                AND (
                  SELECT n.sync_seq FROM tidemark_numbers n
                  WHERE n.project_id = p.id AND n.no <= o.watermark - \(CommitNumber.limit)
                  ORDER BY n.no DESC LIMIT 1
                ) BETWEEN s.from_seq AND \(served) - 1
            )) THEN 1 ELSE 0 END), 0)
            FROM tidemark_devices o WHERE o.project_id = ''
            """
    }
}
