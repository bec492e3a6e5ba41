import SyncAccounts
import SyncStore

/// The listeners of a feed, by user.
struct FeedListeners {
    private var byUser: [Int64: [FeedListener]] = [:]
    /// Superusers who listen to one project.
    private var superusers: [FeedListener] = []
    private(set) var count = 0

    mutating func add(_ listener: FeedListener) {
        count += 1
        if listener.needsNoMembership { return superusers.append(listener) }
        byUser[listener.caller.userID, default: []].append(listener)
    }

    /// Returns false if it is not among them.
    mutating func remove(_ listener: FeedListener) -> Bool {
        if let index = superusers.firstIndex(where: { $0 === listener }) {
            superusers.remove(at: index)
        } else if let index = byUser[listener.caller.userID]?.firstIndex(where: { $0 === listener }) {
            byUser[listener.caller.userID]?.remove(at: index)
            if byUser[listener.caller.userID]?.isEmpty == true { byUser[listener.caller.userID] = nil }
        } else {
            return false
        }
        count -= 1
        return true
    }

    var all: [FeedListener] { byUser.values.flatMap { $0 } + superusers }

    /// The listeners that may see something of the commit. `members` are the project's memberships by user.
    func seeing(_ commit: NumberedCommit, _ members: [Int64: [ProjectMember]]) -> [FeedListener] {
        var seeing = superusers.filter { $0.sees(commit, []) }
        func add(_ listeners: [FeedListener], _ memberships: [ProjectMember]) {
            for listener in listeners where listener.sees(commit, memberships) { seeing.append(listener) }
        }
        if members.count <= byUser.count {
            for (user, memberships) in members { if let listeners = byUser[user] { add(listeners, memberships) } }
        } else {
            for (user, listeners) in byUser { if let memberships = members[user] { add(listeners, memberships) } }
        }
        return seeing
    }
}
