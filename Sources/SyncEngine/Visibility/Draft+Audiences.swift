import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Who may see something of a commit of these rows, judged by the rows before and after it.
    func audiences(of dirty: [String: [RowKey]]) -> Set<CommitAudience> {
        guard !isProjectDeleted else { return [.everyone] }
        var audiences: Set<CommitAudience> = losses.isEmpty ? [] : [.user(author)]
        for (name, keys) in dirty {
            let collection = registry.collection(name)
            // Nearly always the case, and then no row has to be looked at.
            guard collection.visibility != .everyone else {
                audiences.insert(.everyone)
                continue
            }
            for entry in keys.compactMap({ entries[$0] }) {
                for row in [entry.original, entry.current] {
                    switch row.flatMap({ collection.audience(of: $0) }) {
                    case .everyone: audiences.insert(.everyone)
                    case .behindGate: audiences.insert(.members(from: collection.gateRole(registry) ?? .viewer))
                    case .user(let id): audiences.insert(.user(id))
                    case nil: break
                    }
                }
            }
        }
        return audiences
    }

    /// Whether a commit of these rows changes who sees what: a membership, or a row's gate.
    func changesSight(_ dirty: [String: [RowKey]]) -> Bool {
        isProjectDeleted
            || dirty.contains { name, keys in
                let collection = registry.collection(name)
                guard collection.scope != .membership else { return true }
                guard collection.isGated else { return false }
                return keys.compactMap { entries[$0] }.contains { entry in
                    entry.original.map { $0.isGated != entry.current.isGated } ?? false
                }
            }
    }
}
