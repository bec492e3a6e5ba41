import SyncSchema
import SyncStore

/// What the checks of a draft have found so far. It is emptied whenever a row
/// changes. Checks come last, so it lasts for all of them.
struct CheckCache {
    /// Ids found to be sound, by check.
    var sound: [String: Set<String>] = [:]
    /// Ids found to be below a row that is its own ancestor, by check.
    var cyclic: [String: Set<String>] = [:]
    /// The rows that unique keys go to.
    var owners: [DraftIndexKey: StoredRow] = [:]
    /// How often links were looked up in the store, by the links' collection.
    var linkLookups: [String: Int] = [:]
    /// All links, by their collection, once they are read.
    var links: [String: LinkGraph] = [:]
    /// By the links' collection: the ends of changed links that have rows below them.
    var summaries: [String: Set<String>] = [:]
    /// By the links' collection: what is wrong with rows that got another parent, by id.
    var moves: [String: [String: Violation]] = [:]
    /// What lies above what, by the rows' collection.
    var forests: [String: TaskForest] = [:]
}
