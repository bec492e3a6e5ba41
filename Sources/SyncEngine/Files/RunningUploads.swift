import SyncProtocol
import SyncStore
import Synchronization

/// The uploads that are under way on this server, and can't go on if they break off.
final class RunningUploads: Sendable {
    /// One of them.
    struct Slot {
        fileprivate let user: Int64
        fileprivate let bytes: Int64
    }

    private let users = Mutex<[Int64: FileUse]>([:])

    /// Throws `too_many_uploads`. `others` are those of the user that may go on. The slot has to be given back.
    func take(_ bytes: Int64, of user: Int64, besides others: FileUse, _ limits: FileLimits) throws -> Slot {
        try users.withLock { users in
            let use = users[user] ?? FileUse()
            try limits.requireUpload(of: bytes, besides: use + others)
            users[user] = use + FileUse(files: 1, bytes: bytes)
        }
        return Slot(user: user, bytes: bytes)
    }

    func giveBack(_ slot: Slot) {
        users.withLock { users in
            guard let use = users[slot.user] else { return }
            users[slot.user] =
                use.files > 1 ? FileUse(files: use.files - 1, bytes: use.bytes - slot.bytes) : nil
        }
    }

    func use(of user: Int64) -> FileUse { users.withLock { $0[user] ?? FileUse() } }
}
