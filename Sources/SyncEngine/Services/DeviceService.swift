package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore
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
        let (isNoted, now) = (ledger.forget(key), clock.now())
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
        var (isKnown, last) = (false, Int64(0))
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
