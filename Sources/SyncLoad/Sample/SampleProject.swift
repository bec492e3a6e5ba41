package import SyncProtocol

/// A made-up project of a given size, to put load on: mostly tasks, and some of what hangs on tasks. The same id, size,
/// users and seed give the same rows.
package struct SampleProject: Sendable {
    /// Rows of one collection that go into the store together.
    package struct Chunk: Sendable {
        package let collection: String
        package let rows: [[String: JSON]]
        /// On whose behalf they are written; own-only rows are this user's.
        package let author: Int64
    }

    /// Rows of a chunk at the most: what is held in memory at a time.
    static let chunkSize = 5000

    let id: String
    /// The project's members, the owner first.
    let users: [Int64]
    let counts: [SampleCollection: Int]
    private let seed: UInt64

    /// `rows` counts all rows of the project, its own, its calendar and its memberships included. Nil where they are
    /// too few for these, a sprint and a task.
    package init?(id: String, rows: Int, users: [Int64], seed: UInt64) {
        guard let counts = SampleCollection.shares(of: rows - users.count - 2) else { return nil }
        self.id = id
        self.users = users
        self.counts = counts
        // Ids are unique over a whole database, so that two projects must not draw the same ones.
        self.seed = id.utf8.reduce(seed) { SeededRandom.mixed($0 ^ UInt64($1)) }
    }

    /// All rows but those that a new project has, in an order in which references are there before what refers to them.
    package var chunks: some Sequence<Chunk> {
        SampleCollection.allCases.lazy.flatMap { collection in
            parts(of: collection).lazy.map { chunk(collection, $0) }
        }
    }

    private func parts(of collection: SampleCollection) -> [(range: Range<Int>, author: Int64)] {
        let count = counts[collection] ?? 0
        guard collection == .timeEntries else { return split(0..<count).map { ($0, users[0]) } }
        return users.indices.flatMap { user in
            let range = count * user / users.count..<count * (user + 1) / users.count
            return split(range).map { ($0, users[user]) }
        }
    }

    private func split(_ range: Range<Int>) -> [Range<Int>] {
        stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkSize).map {
            $0..<min($0 + Self.chunkSize, range.upperBound)
        }
    }

    private func chunk(_ collection: SampleCollection, _ part: (range: Range<Int>, author: Int64)) -> Chunk {
        let rows = part.range.map { index in
            var random = SeededRandom(seed: SeededRandom.mixed(seed ^ UInt64(index)) ^ collection.salt)
            var row = fields(of: collection, index, &random)
            row["id"] = .string(rowID(collection, index))
            return row
        }
        return Chunk(collection: collection.rawValue, rows: rows, author: part.author)
    }

    /// Of the form of a UUID, as clients make them.
    func rowID(_ collection: SampleCollection, _ index: Int) -> String {
        let number = SeededRandom.mixed((seed ^ collection.salt) &+ UInt64(index))
        let digits = Hex.text(number) + Hex.text(SeededRandom.mixed(~number))
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}
