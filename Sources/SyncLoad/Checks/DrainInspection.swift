import SyncProtocol

/// Looks at every row of a drain: no id comes twice, and the rows come to the digest that the server gives at the end.
struct DrainInspection: Sendable {
    private var seen: Set<UInt64> = []
    private var digests: [String: CollectionDigest] = [:]
    /// What ids of this run's own uploads begin with.
    private let mark: String
    private(set) var rows = 0
    /// Live rows that this run uploaded.
    private(set) var markedRows = 0
    private(set) var mistakes = Mistakes()

    init(mark: String) { self.mark = mark }

    mutating func add(_ row: PageRow) {
        rows += 1
        let name = "\(row.collection) \(row.id)"
        var utf8 = name
        // 64 bits stand for the name: among a million rows a false alarm has a chance of 1 in 30 million.
        let isNew = utf8.withUTF8 { seen.insert(XXHash64.of(UnsafeRawBufferPointer($0))).inserted }
        if !isNew { mistakes.note("An id came twice in one drain.", name) }
        guard let version = row.version else { return }
        digests[row.collection, default: .empty].insert(row.id, version)
        if row.id.hasPrefix(mark) { markedRows += 1 }
    }

    /// Judges the whole. `digest` is the last page's; nil where that had none.
    mutating func finish(_ digest: [String: CollectionDigest]?) {
        guard let digest else { return }
        for collection in Set(digest.keys).union(digests.keys).sorted() {
            let (theirs, ours) = (digest[collection] ?? .empty, digests[collection] ?? .empty)
            guard theirs != ours else { continue }
            mistakes.note(
                "The rows of a drain are not those of the server's digest.",
                "\(collection): \(ours.json.text), the server says \(theirs.json.text)")
        }
    }
}
