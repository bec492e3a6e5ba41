import SyncProtocol
import Synchronization

/// The uploads that are under way on this server.
final class RunningUploads: Sendable {
    /// A place among them.
    struct Place {
        fileprivate let user: Int64
        fileprivate let bytes: Int64
    }

    private struct Use {
        var count = 0
        var bytes: Int64 = 0
    }

    private let users = Mutex<[Int64: Use]>([:])

    /// Throws `too_many_uploads`. The place has to be given back.
    func take(_ bytes: Int64, of user: Int64, _ limits: FileLimits) throws -> Place {
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
        return Place(user: user, bytes: bytes)
    }

    func giveBack(_ place: Place) {
        users.withLock { users in
            guard var use = users[place.user] else { return }
            use.count -= 1
            use.bytes -= place.bytes
            users[place.user] = use.count > 0 ? use : nil
        }
    }
}
