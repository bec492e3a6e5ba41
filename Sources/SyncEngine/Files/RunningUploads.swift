import SyncProtocol
import Synchronization

/// The uploads that are under way on this server.
final class RunningUploads: Sendable {
    /// One of them.
    struct Slot {
        fileprivate let user: Int64
        fileprivate let bytes: Int64
    }

    private struct Use {
        var count = 0
        var bytes: Int64 = 0
    }

    private let users = Mutex<[Int64: Use]>([:])

    /// Throws `too_many_uploads`. The slot has to be given back.
    func take(_ bytes: Int64, of user: Int64, _ limits: FileLimits) throws -> Slot {
        try users.withLock { users in
            var use = users[user] ?? Use()
            use.count += 1
            use.bytes += bytes
            guard use.count <= FileLimits.uploadsOfUser, use.bytes <= limits.uploadBytesOfUser else {
                throw Problem(
                    .tooManyUploads, "You have too many uploads under way. Let some of them end first.",
                    members: ["limit": .int(Int64(FileLimits.uploadsOfUser)), "retry_after": 1])
            }
            users[user] = use
        }
        return Slot(user: user, bytes: bytes)
    }

    func giveBack(_ slot: Slot) {
        users.withLock { users in
            guard var use = users[slot.user] else { return }
            use.count -= 1
            use.bytes -= slot.bytes
            users[slot.user] = use.count > 0 ? use : nil
        }
    }
}
