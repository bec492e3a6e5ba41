/// What the checks of a draft have found out so far. Void as soon as a row changes; checks come last, so that it lasts for
/// all of them.
struct CheckCache {
    /// Ids found to be sound, by check.
    var sound: [String: Set<String>] = [:]
    /// How often links were looked up in the store, by their collection.
    var linkLookups: [String: Int] = [:]
    /// All links, by their collection, once they have been read.
    var links: [String: LinkGraph] = [:]
}
