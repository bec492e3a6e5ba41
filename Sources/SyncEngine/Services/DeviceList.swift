import SyncProtocol
import SyncStore

/// Makes lists of devices, in one transaction.
struct DeviceList {
    /// How many users are looked up at a time.
    static let step = 100

    let transaction: any ReadTransaction
    /// What is not yet in the store. It is read before the store, so nothing is missed that is written meanwhile.
    let ledger: DeviceLedger
    let lags: DeviceLagReader

    init(_ transaction: any ReadTransaction, _ ledger: DeviceLedger, now: Instant) {
        (self.transaction, self.ledger) = (transaction, ledger)
        lags = DeviceLagReader(transaction: transaction, now: now)
    }

    /// One page of the entries of users, whose ids `users` lists in steps.
    func page(
        after place: DevicePlace, limit: Int, users: (_ after: Int64) throws -> [Int64],
        entries: (_ user: Int64) throws -> [JSON]
    ) throws -> (results: [JSON], next: DevicePlace?) {
        var (results, last): ([JSON], DevicePlace) = ([], place)
        var step = try users(place.user - 1)
        while !step.isEmpty {
            for user in step {
                let all = try entries(user)
                for index in all.indices where user != place.user || index >= place.count {
                    guard results.count < limit else { return (results, last) }
                    results.append(all[index])
                    last = DevicePlace(user: user, count: index + 1)
                }
            }
            step = try users(step[step.count - 1])
        }
        return (results, nil)
    }

    /// The next users who have devices, or the only one.
    func users(_ only: Int64?, after: Int64) throws -> [Int64] {
        if let only { return only > after ? [only] : [] }
        let noted = ledger.users().filter { $0 > after }
        let stored = try transaction.usersWithDevices(after: after, limit: Self.step)
        return Array(noted.union(stored).sorted().prefix(Self.step))
    }

    /// The user's devices as their owner sees them.
    func entries(of user: Int64) throws -> [JSON] {
        let devices = try devices(of: user, in: nil)
        guard !devices.isEmpty, let owner = try transaction.user(id: user) else { return [] }
        let projects = try projects(of: owner, devices)
        return try devices.map { device in
            var entry = device.entry(of: owner, device.overall)
            entry["behind"] = try lags.lag(of: device, in: projects)?.json ?? .null
            entry["sent"] = try lags.lagSent(to: device, in: projects)?.json ?? .null
            entry["device_id"] = .string(device.key.id.rawValue)
            return .object(entry)
        }
    }

    /// The devices with which the member syncs the project, as its administrators see them: without ids, and without
    /// what they did elsewhere.
    func entries(of user: Int64, in project: ProjectState) throws -> [JSON] {
        let devices = try devices(of: user, in: project.id)
        guard !devices.isEmpty, let owner = try transaction.user(id: user) else { return [] }
        return try devices.compactMap { device in
            guard let activity = device.activity(in: project.id) else { return nil }
            var entry = device.entry(of: owner, activity)
            entry["behind"] = try lags.lag(of: device, in: project)?.json ?? .null
            return .object(entry)
        }
    }

    /// What the store and the ledger know together, by id. Like the store, no more than the newest.
    func devices(of user: Int64, in project: String?) throws -> [Device] {
        let noted = ledger.devices(of: user)
        var devices = Dictionary(
            try transaction.devices(of: user, in: project).map { ($0.key.id, $0) }, uniquingKeysWith: { $1 })
        for device in noted {
            if devices[device.key.id] == nil {
                devices[device.key.id] = device
            } else {
                devices[device.key.id]?.merge(device)
            }
        }
        let newest = devices.values.sorted { one, other in
            (other.overall.lastSeen, one.key.id) < (one.overall.lastSeen, other.key.id)
        }
        return newest.prefix(Device.mostOfUser).sorted { $0.key.id < $1.key.id }
    }

    /// The live projects that the user can sync, as far as the devices do.
    private func projects(of user: User, _ devices: [Device]) throws -> [ProjectState] {
        var ids = Set(devices.flatMap(\.projects.keys))
        if devices.contains(where: { $0.overall.watermark != nil }) {
            ids.formUnion(try transaction.stints(of: user.id).filter { $0.until == .maximum }.map(\.project))
        }
        return try ids.sorted().compactMap { id in
            guard let project = try transaction.project(id), !project.isDeleted else { return nil }
            let isServed = try user.isSuperuser || transaction.access(project: id, user: user.id)?.role != nil
            return isServed ? project : nil
        }
    }
}

extension Device {
    /// What the device did in a project; nil if nothing. A user-wide pull was one of this project too.
    func activity(in project: String) -> DeviceActivity? {
        let wide = overall.watermark.map { DeviceActivity(firstSeen: $0.at, lastSeen: $0.at) }
        guard var activity = projects[project] else { return wide }
        if let wide { activity.merge(wide) }
        return activity
    }

    fileprivate func entry(of user: User, _ activity: DeviceActivity) -> [String: JSON] {
        [
            "user_id": .int(user.id), "username": .string(user.username.rawValue),
            "device_name": name.map { .string($0.value) } ?? .null,
            "app_version": appVersion.map { .string($0.value) } ?? .null,
            "first_seen": .string(activity.firstSeen.text), "last_seen": .string(activity.lastSeen.text),
            "last_upload": activity.lastUpload.map { .string($0.text) } ?? .null,
            "last_error": activity.lastError.map { .string($0.value) } ?? .null,
            "last_error_at": activity.lastError.map { .string($0.at.text) } ?? .null,
            "digest": activity.comparison.map { .string($0.value.rawValue) } ?? .null,
        ]
    }
}
