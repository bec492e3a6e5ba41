import SyncProtocol

extension RandomWrites.Write: CustomStringConvertible {
    /// A text that is equal for equal writes.
    package var description: String {
        switch self {
        case .upload(let changes, let author, let batch):
            return "the \(author) uploads \(batch) \(JSON.object(changes).text)"
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
