import SyncProtocol
package import SyncStore

extension SQLTransaction {
    package func devices(of user: Int64, in project: String?) throws -> [Device] {
        var devices: [Device] = []
        try each(DeviceSQL.devices, [.int(user), project.map(JSON.string) ?? .null], isKept: true) { row in
            let (id, project) = (ExactText(row.string(0)), row.string(1))
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
