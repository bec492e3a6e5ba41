import SyncProtocol
import Synchronization

/// Makes sure that a replica of all projects is synced as one user. With another user's token the first user's unsent
/// edits would change hands, and rows that only the first user may see would stay. A replica of one project needs no
/// check: the server refuses those who are not members.
final class OwnerCheck: Sendable {
    private let isDone = Mutex(false)

    /// Asks the server who the token's user is, once, and compares with the user that the replica belongs to. The first
    /// user who syncs it becomes its owner.
    ///
    /// Throws `ReplicaError.otherUser`, and `SyncError` as a pull does.
    func run(_ session: Session, _ options: SyncOptions, _ progress: (SyncProgress) -> Void) async throws {
        guard session.remote.scope == .allProjects, !isDone.withLock({ $0 }) else { return }
        let user = try await user(session, options, progress)
        try session.replica.claim(for: user)
        isDone.withLock { $0 = true }
    }

    private func user(
        _ session: Session, _ options: SyncOptions, _ progress: (SyncProgress) -> Void
    ) async throws -> Int64 {
        var retry = Retry(options, seed: session.environment.seed())
        retry.begin(at: session.environment.now())
        while true {
            let (trouble, after): (SyncTrouble, Duration?)
            let timeout = retry.timeout(at: session.environment.now())
            switch try await session.exchange(session.remote.whoAmI(timeout: timeout)) {
            case .success(let response):
                switch Verdict(response, read: OwnerCheck.id) {
                case .success(let id): return id
                case .retry(let asked, let reason): (trouble, after) = (SyncTrouble(answer: reason), asked)
                case .refuse(let error): throw error
                case .unchanged, .restart, .resync, .wipe:
                    throw SyncError.violation("it does not say whose token this is")
                }
            case .failure(let error):
                guard error.isTransient else { throw SyncError.transport(error) }
                if error == .timeout { retry.timedOut() }
                (trouble, after) = (SyncTrouble(error), nil)
            }
            guard let delay = retry.delay(after: after, at: session.environment.now()) else {
                throw SyncError.gaveUp(reason: trouble.reason)
            }
            progress(.waiting(trouble))
            try await session.environment.sleep(delay)
        }
    }

    private static func id(_ response: TransportResponse) throws -> Int64 {
        guard let id = try JSON(parsing: response.body)["id"]?.int else {
            throw SyncError.violation("it does not say whose token this is")
        }
        return id
    }
}
