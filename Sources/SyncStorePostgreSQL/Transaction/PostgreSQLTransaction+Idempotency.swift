import SyncProtocol
import SyncStore
import SyncStoreSQL

extension PostgreSQLTransaction {
    /// In a write, requests with one key run one after the other. The lock of the key's project sees to that if it is
    /// held; a request over all projects, or one that makes a project, takes a lock of the key itself.
    func answer(to key: IdempotencyKey) throws -> StoredAnswer? {
        if isWriting, session.pending.projects[key.scope] == nil {
            let name = "\(key.scope) \(key.userID) \(key.text.rawValue)"
            try session.send(AdvisoryLock.keyStatement, [.string(name)])
        }
        // A statement of its own, because it must see what was committed before the lock was free.
        return try storedAnswer(to: key)
    }
}
