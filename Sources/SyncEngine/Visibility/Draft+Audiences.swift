import SyncProtocol
import SyncSchema
import SyncStore

extension Draft {
    /// Who may see something of this commit, judged by the rows before and after it.
    var audiences: Set<CommitAudience> {
        guard !isProjectDeleted else { return [.everyone] }
        var audiences: Set<CommitAudience> = []
        for (key, entry) in entries where entry.isDirty {
            let collection = registry.collection(key.collection)
            for row in [entry.original, entry.current] {
                switch row.flatMap({ collection.audience(of: $0) }) {
                case .everyone: audiences.insert(.everyone)
                case .behindGate: audiences.insert(.members(from: collection.gateRole(registry) ?? .viewer))
                case .user(let id): audiences.insert(.user(id))
                case nil: break
                }
            }
        }
        if !losses.isEmpty { audiences.insert(.user(author)) }
        return audiences
    }

    /// Whether the commit changes who sees what: a membership, or a row's gate.
    var changesSight: Bool {
        isProjectDeleted
            || entries.contains { key, entry in
                guard entry.isDirty else { return false }
                let isMembership = registry.collection(key.collection).scope == .membership
                return isMembership || entry.original.map { $0.isGated != entry.current.isGated } ?? false
            }
    }
}
