import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// The newest commits that this server has told anybody of. A history that has less of them has lost some.
final class GivenHeads: Sendable {
    private static let most = 10_000

    private let heads = Mutex<[String: SyncSeq]>([:])

    func note(_ project: String, _ head: SyncSeq) {
        heads.withLock { heads in
            if let known = heads[project] {
                if known < head { heads[project] = head }
                return
            }
            if heads.count >= Self.most { heads.remove(at: heads.indices.randomElement()!) }
            heads[project] = head
        }
    }

    /// Whether the database has all of them. A project that is gone was purged.
    func areKnown(to session: Session) throws -> Bool {
        let heads = heads.withLock { $0 }
        guard !heads.isEmpty else { return true }
        let rows = try session.ask(
            "SELECT id, head FROM tidemark_projects WHERE id = ANY(?1)", [Parameters.list(Array(heads.keys))])
        return rows.rows.allSatisfy { row in heads[row.string(0)]?.rawValue ?? 0 <= row.integer(1) }
    }
}
