import SyncProtocol
import SyncStore
import SyncStoreSQL
import Synchronization

/// The newest commits that this server has told anybody of. A history that has less of them has lost some.
final class GivenHeads: Sendable {
    private struct State {
        var heads: [String: SyncSeq] = [:]
        /// The newest commit number of the installation.
        var number = CommitNumber.first
        var accounts = CommitMark(0)
    }

    private static let most = 10_000

    private let state = Mutex(State())

    func note(_ project: String, _ head: SyncSeq) {
        state.withLock { state in
            if let known = state.heads[project] {
                if known < head { state.heads[project] = head }
                return
            }
            if state.heads.count >= Self.most { state.heads.remove(at: state.heads.indices.randomElement()!) }
            state.heads[project] = head
        }
    }

    func note(_ number: CommitNumber) { state.withLock { $0.number = max($0.number, number) } }

    func note(accounts mark: CommitMark) {
        state.withLock { if $0.accounts.isOlder(than: mark) { $0.accounts = mark } }
    }

    /// Whether the database has all of them.
    func areKnown(to session: Session) throws -> Bool {
        let given = state.withLock { $0 }
        let number = try session.ask(SQLStatements.newestNumber).first?.integer(0) ?? 0
        let accounts = try session.ask(AccountChanges.question).first?.integer(0) ?? 0
        guard number >= given.number.rawValue, !CommitMark(accounts).isOlder(than: given.accounts) else { return false }
        let rows = try session.ask(
            "SELECT id, head FROM tidemark_projects WHERE id = ANY(?1)", [Parameters.list(Array(given.heads.keys))])
        let heads = Dictionary(uniqueKeysWithValues: rows.rows.map { ($0.string(0), SyncSeq($0.integer(1))) })
        return given.heads.allSatisfy { project, head in head <= heads[project] ?? .zero }
    }
}
