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
        self.transaction = transaction
        self.ledger = ledger
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

/// Reads how far devices are behind, in one transaction.
struct DeviceLagReader {
    let transaction: any ReadTransaction
    let now: Instant

    /// How far the device is behind the project; nil if it presented no watermark, or one from before a restore: it
    /// will begin from 0.
    func lag(of device: Device, in project: ProjectState) throws -> DeviceLag? {
        try lag(behind: device.watermark(in: project.id), in: project)
    }

    /// How far the device is behind the project if it has received what it was sent; nil as for `lag(of:in:)`.
    func lagSent(to device: Device, in project: ProjectState) throws -> DeviceLag? {
        try lag(behind: device.sent(in: project.id), in: project)
    }

    private func lag(behind watermark: Dated<Int64>?, in project: ProjectState) throws -> DeviceLag? {
        guard let seq = try seq(watermark, in: project), project.floor <= seq, seq <= project.head else { return nil }
        guard seq < project.head else { return DeviceLag.none }
        let next = SyncSeq(seq.rawValue + 1)
        var first: Instant?
        if let number = try transaction.number(of: next, in: project.id) {
            let before = CommitNumber(number.rawValue - 1)
            first = try transaction.commits(to: project.id, after: before, limit: 1).first?.at
        }
        let age = first.map { (now.milliseconds - $0.milliseconds) / 1000 } ?? 0
        return DeviceLag(commits: project.head.rawValue - seq.rawValue, seconds: max(0, age))
    }

    /// The head of the project up to which the device has everything; nil if it presented no watermark.
    func seq(of device: Device, in project: ProjectState) throws -> SyncSeq? {
        try seq(device.watermark(in: project.id), in: project)
    }

    private func seq(_ dated: Dated<Int64>?, in project: ProjectState) throws -> SyncSeq? {
        guard let watermark = dated?.value else { return nil }
        guard watermark > CommitNumber.limit else { return SyncSeq(watermark) }
        // A project without a commit up to the watermark is newer.
        return try transaction.head(of: project.id, at: CommitNumber(watermark - CommitNumber.limit)) ?? project.floor
    }

    /// How far the device is behind all of these projects together; nil if it is behind none that it presented a
    /// watermark of this history for.
    func lag(of device: Device, in projects: [ProjectState]) throws -> DeviceLag? {
        try sum(projects) { try lag(of: device, in: $0) }
    }

    /// How far the device is behind all of these projects together if it has received what it was sent.
    func lagSent(to device: Device, in projects: [ProjectState]) throws -> DeviceLag? {
        try sum(projects) { try lagSent(to: device, in: $0) }
    }

    private func sum(_ projects: [ProjectState], _ lag: (ProjectState) throws -> DeviceLag?) rethrows -> DeviceLag? {
        try projects.reduce(nil) { sum, project in
            guard let lag = try lag(project) else { return sum }
            return DeviceLag(
                commits: (sum?.commits ?? 0) + lag.commits, seconds: max(sum?.seconds ?? 0, lag.seconds))
        }
    }
}

/// How far a device is behind a project.
struct DeviceLag: Equatable {
    static let none = DeviceLag(commits: 0, seconds: 0)

    /// Commits that the device lacks.
    var commits: Int64
    /// The age of the first of them.
    var seconds: Int64

    var json: JSON { ["commits": .int(commits), "seconds": .int(seconds)] }
}

/// Which tombstones a purge leaves because devices have not passed them yet.
struct DeviceWait {
    private let transaction: any ReadTransaction
    private let now: Instant
    /// No tombstone that is older waits, and for no device that was not seen for longer.
    private let longest: Duration

    init(_ transaction: any ReadTransaction, now: Instant, longest: Duration) {
        self.transaction = transaction
        self.now = now
        self.longest = longest
    }

    /// The greatest number of the project up to which tombstones may go, at most `upper`. Nil if all stay.
    func upper(of project: String, atMost upper: SyncSeq) throws -> SyncSeq? {
        guard let state = try transaction.project(project), let passed = try lowest(in: state), passed < upper else {
            return upper
        }
        let oldest = try transaction.lastCommit(of: project, before: now.advanced(by: .zero - longest))
        return max(passed, oldest ?? .zero)
    }

    /// The least number that one of the members' devices has passed. A device that has to begin from 0 anyway waits for
    /// nothing.
    private func lowest(in project: ProjectState) throws -> SyncSeq? {
        let since = now.advanced(by: .zero - longest)
        let lags = DeviceLagReader(transaction: transaction, now: now)
        var (lowest, last): (SyncSeq?, Int64) = (nil, 0)
        while true {
            let members = try transaction.users(.members(of: project.id), after: last, limit: DeviceList.step)
            guard let end = members.last?.id else { return lowest }
            for member in members where !member.isDisabled {
                for device in try transaction.devices(of: member.id, in: project.id) {
                    guard let seen = device.activity(in: project.id)?.lastSeen, seen >= since,
                        let seq = try lags.seq(of: device, in: project), seq > .zero, seq <= project.head,
                        seq >= max(project.horizon, project.floor)
                    else { continue }
                    lowest = min(lowest ?? seq, seq)
                }
            }
            last = end
        }
    }
}
