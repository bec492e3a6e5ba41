import SyncProtocol
import SyncStore
import Synchronization

/// Translates the server's errors, and remembers whether one of them reported damage.
final class StoreFailure: Sendable {
    private let damage = Atomic(false)

    /// Whether the server has reported damage since the store was opened.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    func translated<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw translation(of: error) }
    }

    private func translation(of error: any Error) -> any Error {
        guard let failure = error as? DatabaseError else { return error }
        if failure.saysDamage {
            damage.store(true, ordering: .relaxed)
            return StoreError(
                "The database reports damaged data (\(failure.message)).",
                hint: "Fail over to a standby, or restore a backup.")
        }
        if failure.isConnectionLost {
            // A failover takes some seconds, and clients give up after some tries.
            return Problem(
                .busy, "The database can't be reached now. Nothing was applied. Try again.",
                members: ["retry_after": .int(Int64.random(in: 2...5))])
        }
        let isBusy = failure.isWorthAnotherTry || failure.isOutOfResources || failure.isTooSlow
        return isBusy ? Problem(.busy, "The database can't answer now. Nothing was applied. Try again.") : failure
    }
}
