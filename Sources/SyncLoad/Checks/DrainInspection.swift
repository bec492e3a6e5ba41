import SyncProtocol

/// Checks every row of a drain: no id may occur twice, and the rows must match the digest
/// that the server sends at the end.
struct DrainInspection: Sendable {
    private var seen: Set<UInt64> = []
    private var digests: [String: CollectionDigest] = [:]
    /// The prefix of the ids that this run uploads.
    private let mark: String
    private(set) var rows = 0
    /// Live rows that this run uploaded, by their prefix.
    private(set) var markedRows = 0
    private(set) var mistakes = Mistakes()

    init(mark: String) { self.mark = mark }

    mutating func add(_ row: PageRow) {
        rows += 1
        let name = "\(row.collection) \(row.id)"
        var utf8 = name
        // A hash of 64 bits stands for the name. Among a million rows, the chance of a false alarm is 1 in 30 million.
        let isNew = utf8.withUTF8 { seen.insert(XXHash64.of(UnsafeRawBufferPointer($0))).inserted }
        if !isNew { mistakes.note("An id occurred twice in one drain.", name) }
        guard let version = row.version else { return }
        digests[row.collection, default: .empty].insert(row.id, version)
        if row.id.hasPrefix(mark) { markedRows += 1 }
    }

    /// Compares the drain with the last page's digest; nil if that page had none.
    mutating func finish(_ digest: [String: CollectionDigest]?) {
        guard let digest else { return }
        for collection in Set(digest.keys).union(digests.keys).sorted() {
            let (theirs, ours) = (digest[collection] ?? .empty, digests[collection] ?? .empty)
            guard theirs != ours else { continue }
            mistakes.note(
                "The rows of a drain do not match the server's digest.",
                "\(collection): \(ours.json.text), the server says \(theirs.json.text)")
        }
    }
}
