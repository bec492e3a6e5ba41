import SyncAccounts
import SyncProtocol
import SyncStore

/// Names the users and devices behind entries of a history, as far as the reader may know them.
struct HistoryAuthors {
    let transaction: any ReadTransaction
    let devices: DeviceList
    let access: ProjectAccess
    private var users: [Int64: JSON] = [:]
    private var known: [Int64: [Device]] = [:]

    init(_ transaction: any ReadTransaction, _ devices: DeviceList, for access: ProjectAccess) {
        (self.transaction, self.devices, self.access) = (transaction, devices, access)
    }

    /// The user, former members included; null without a user.
    mutating func user(_ id: Int64?) throws -> JSON {
        guard let id else { return .null }
        if let known = users[id] { return known }
        let user = try transaction.user(id: id)?.json ?? .null
        users[id] = user
        return user
    }

    /// The device's name in the ledger. Its id is for its user and for superusers, if it has no name. Null for users
    /// below ADMIN, unless the device is their own.
    mutating func device(of entry: HistoryEntry) throws -> JSON {
        let isOwn = entry.userID == access.caller.userID
        guard let id = entry.device, let user = entry.userID, isOwn || access.role >= .admin else { return .null }
        let theirs = try known[user] ?? devices.devices(of: user, in: nil)
        known[user] = theirs
        if let name = theirs.first(where: { $0.key.id == id })?.name { return .string(name.value) }
        return isOwn || access.caller.isSuperuser ? .string(id.rawValue) : .null
    }
}
