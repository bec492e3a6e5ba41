import SyncProtocol

extension RandomWrites.Write: CustomStringConvertible {
    /// A text that is equal for equal writes.
    package var description: String {
        switch self {
        case .upload(let created, let updated, let deleted, let batch):
            let buckets = [("created", created), ("updated", updated), ("deleted", deleted)].filter { !$0.1.isEmpty }
            return "upload \(batch)" + buckets.map { " \($0.0) \(JSON.array($0.1).text)" }.joined()
        case .insert(let collection, let id, let fields, let author):
            return "\(author) inserts \(collection) \(id) \(JSON.object(fields).text)"
        case .update(let collection, let id, let fields, let author):
            return "\(author) updates \(collection) \(id) \(JSON.object(fields).text)"
        case .delete(let collection, let id, let author): return "\(author) deletes \(collection) \(id)"
        case .role(let user, let role): return "the \(user) \(role.map { "becomes \($0)" } ?? "leaves")"
        case .purge: return "purge"
        }
    }
}
