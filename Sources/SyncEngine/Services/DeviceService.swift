package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore
import SyncValues
import Synchronization

/// The devices that sync: who has not synced, with which version, how far behind.
///
/// Requests note what they tell in the ledger. `write` moves that to the store. Every list has both.
package struct DeviceService<Store: SyncStore>: Sendable {
    /// The most devices that one transaction writes, so no other write waits long.
    private static var writtenAtOnce: Int { 250 }

    private let store: Store
    private let clock: WallClock
    package let ledger = DeviceLedger()
    private let counted = CountedDevices()

    package init(store: Store, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Notes what a request told. Writes nothing.
    package func note(_ sighting: DeviceSighting) { ledger.note(sighting, at: clock.now()) }

    /// Writes what was noted since the last time. What can't be written is kept.
    package func write() async throws {
        guard let keys = ledger.begin() else { return }
        var isWritten = false
        defer { ledger.end(isWritten: isWritten) }
        for start in stride(from: 0, to: keys.count, by: Self.writtenAtOnce) {
            let part = keys[start..<min(start + Self.writtenAtOnce, keys.count)]
            try await store.write(.accounts) { [ledger] in try $0.merge(ledger.writing(part)) }
        }
        isWritten = true
    }

    // MARK: Numbers

    /// Counts the devices in the store. Looks at each of them.
    package func count() async throws {
        let counts = try await store.read(.installation) { try $0.deviceCounts() }
        counted.value.withLock { $0 = counts }
    }

    /// The result of the last `count`; nil before the first.
    package var counts: DeviceCounts? { counted.value.withLock { $0 } }

    // MARK: Lists

    /// The caller's devices, by id; a superuser gets everybody's, by user. With `user`, a superuser gets only this
    /// one's.
    ///
    /// Throws `forbidden` if somebody else asks for another user's.
    package func list(
        of user: Int64?, after place: DevicePlace, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: DevicePlace?) {
        let users = try asked(user, caller)
        return try await store.read(.installation) { transaction in
            let list = DeviceList(transaction, ledger, now: clock.now())
            return try list.page(after: place, limit: limit, users: { try list.users(users, after: $0) }) {
                try list.entries(of: $0)
            }
        }
    }

    /// The devices of the project's members, by user: what concerns this project, without the devices' ids.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`, and `forbidden` below ADMIN.
    package func list(
        of project: String, after place: DevicePlace, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: DevicePlace?) {
        try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            if let violation = access.violation(of: .admin, to: "Listing the members' devices") {
                throw Problem(violation.code, violation.detail)
            }
            let list = DeviceList(transaction, ledger, now: clock.now())
            let members = { try transaction.users(.members(of: project), after: $0, limit: DeviceList.step).map(\.id) }
            return try list.page(after: place, limit: limit, users: members) {
                try list.entries(of: $0, in: access.project)
            }
        }
    }

    /// Forgets a device: the caller's own or, for a superuser, the user's. Without `user`, a superuser who has no such
    /// device forgets it of everybody who has one. It revokes nothing: a device that goes on syncing is known again.
    ///
    /// Throws `read_only_token`, `forbidden` if somebody else names another user, and `not_found` if there is none.
    package func forget(_ id: String, of user: Int64?, by caller: Caller) async throws {
        try caller.requireWrite()
        _ = try asked(user, caller)
        let device = ExactText(id)
        if try await forget(DeviceKey(user: user ?? caller.userID, id: device), by: caller) { return }
        guard user == nil, caller.isSuperuser, try await forget(device, by: caller) else {
            throw Problem(.notFound, "There is no device with this id.")
        }
    }

    private func forget(_ key: DeviceKey, by caller: Caller) async throws -> Bool {
        let isNoted = ledger.forget(key)
        let now = clock.now()
        return try await store.write(.accounts) { transaction in
            let isStored = try transaction.forgetDevice(key)
            guard isStored || isNoted else { return false }
            try transaction.audit(
                AuditEntry(
                    .deviceForgotten, by: caller.actor, subject: key.user,
                    details: ["device": .string(key.id.rawValue)], at: now))
            return true
        }
    }

    private func forget(_ device: ExactText, by caller: Caller) async throws -> Bool {
        var isKnown = false
        var last = Int64(0)
        while true {
            let users = try await store.read(.installation) { [last] transaction in
                try DeviceList(transaction, ledger, now: clock.now()).users(nil, after: last)
            }
            guard let end = users.last else { return isKnown }
            for user in users {
                isKnown = try await forget(DeviceKey(user: user, id: device), by: caller) || isKnown
            }
            last = end
        }
    }

    /// The user whose devices are meant; nil for everybody's.
    private func asked(_ user: Int64?, _ caller: Caller) throws -> Int64? {
        if caller.isSuperuser { return user }
        guard user == nil || user == caller.userID else {
            throw Problem(.forbidden, "Only a superuser may name another user.")
        }
        return caller.userID
    }
}

/// The result of the last count.
private final class CountedDevices: Sendable {
    let value = Mutex<DeviceCounts?>(nil)
}

/// A place in a list of devices, which goes by user and device. It names no device, because not everybody may know ids.
package struct DevicePlace: Sendable, Equatable {
    let user: Int64
    /// How many of the user's devices come before.
    let count: Int

    package static let start = DevicePlace(user: 0, count: 0)

    init(user: Int64, count: Int) { (self.user, self.count) = (user, count) }

    /// Reads what `text` gives; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let user = Int64(parts[0]), let count = Int(parts[1]), user > 0, count >= 0 else {
            return nil
        }
        self.init(user: user, count: count)
    }

    package var text: String { "\(user).\(count)" }
}

/// What one request tells of a device.
package struct DeviceSighting: Sendable {
    package let user: Int64
    package let device: DeviceDescription
    /// The project that the request was about, once its access was judged; nil for a request about none or all of them.
    package var project: String?
    /// The watermark that the device presented: of the project or, without one, user-wide. Nil if it presented none.
    package var watermark: Int64?
    /// The `timestamp` of the drain whose end the device was sent, of the project or user-wide.
    package var sent: Int64?
    /// Whether an upload was applied.
    package var isUpload = false
    /// The code with which the request was refused.
    package var error: ErrorCode?
    package var comparison: DeviceActivity.Comparison?

    package init(of device: DeviceDescription, user: Int64, project: String? = nil) {
        self.device = device
        self.user = user
        self.project = project
    }

    /// What is known of the device by this request alone.
    func seen(at now: Instant) -> Device {
        let dated = { (isAbout: Bool) in
            DeviceActivity(
                firstSeen: now, lastSeen: now, lastUpload: isUpload ? now : nil,
                watermark: isAbout ? watermark.map { Dated($0, at: now) } : nil,
                sent: isAbout ? sent.map { Dated($0, at: now) } : nil,
                lastError: error.map { Dated($0.rawValue, at: now) },
                comparison: comparison.map { Dated($0, at: now) })
        }
        return Device(
            key: DeviceKey(user: user, id: device.id), name: device.name.map { Dated($0, at: now) },
            appVersion: device.appVersion.map { Dated($0, at: now) },
            overall: dated(project == nil), projects: project.map { [$0: dated(true)] } ?? [:])
    }
}

/// What a device says of itself with a request.
package struct DeviceDescription: Sendable, Equatable {
    /// In bytes.
    private static let (longestID, longestName, longestVersion) = (128, 128, 64)

    package let id: ExactText
    /// Nil if the request does not say.
    package let name: String?
    package let appVersion: String?

    /// Nil for an id that can't be held: an empty one, one of more than 128 bytes, one with control characters. A name
    /// and a version are cut, to 128 and 64 bytes. What would disturb a terminal becomes a space.
    package init?(id: String, name: String? = nil, appVersion: String? = nil) {
        guard (1...DeviceDescription.longestID).contains(id.utf8.count),
            !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.id = ExactText(id)
        self.name = name.flatMap { DeviceDescription.plain($0, bytes: DeviceDescription.longestName) }
        self.appVersion = appVersion.flatMap { DeviceDescription.plain($0, bytes: DeviceDescription.longestVersion) }
    }

    /// One line without control characters and marks of direction, at most `bytes` long; nil if nothing is left.
    private static func plain(_ text: String, bytes: Int) -> String? {
        var scalars = String.UnicodeScalarView()
        // A text that is much longer is not walked through.
        for scalar in text.unicodeScalars.prefix(4 * bytes) { scalars.append(scalar.isPlain ? scalar : " ") }
        let words = String(scalars).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var line = ""
        for character in words where !line.isEmpty || !character.isWhitespace {
            guard line.utf8.count + character.utf8.count <= bytes else { break }
            line.append(character)
        }
        while line.last?.isWhitespace ?? false { line.removeLast() }
        return line.isEmpty ? nil : line
    }
}

extension Unicode.Scalar {
    /// Joiners are the only invisible characters that change what a character looks like, and not where it stands.
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: value == 0x200C || value == 0x200D
        default: true
        }
    }
}
