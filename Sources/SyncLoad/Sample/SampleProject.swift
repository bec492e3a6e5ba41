package import SyncProtocol

/// A made-up project of a given size, for load tests: mostly tasks, and some rows that refer to tasks. The same id,
/// size, users and seed give the same rows.
package struct SampleProject: Sendable {
    /// Rows of one collection that are stored together.
    package struct Chunk: Sendable {
        package let collection: String
        /// The rows in wire form, each with its `id`.
        package let rows: [[String: JSON]]
        /// The user who writes them. Own-only rows belong to this user.
        package let author: Int64
    }

    /// The most rows in a chunk; this bounds the memory.
    static let chunkSize = 5000

    let id: String
    /// The project's members, the owner first.
    let users: [Int64]
    let counts: [SampleCollection: Int]
    private let seed: UInt64

    /// Makes a project. `rows` counts all its rows, including the project itself, its calendar and its memberships. Nil
    /// when there are too few rows for these plus one sprint and one task.
    package init?(id: String, rows: Int, users: [Int64], seed: UInt64) {
        guard let counts = SampleCollection.shares(of: rows - users.count - 2) else { return nil }
        self.id = id
        self.users = users
        self.counts = counts
        // Ids are unique across the whole database, so two projects must not draw the same ones.
        self.seed = id.utf8.reduce(seed) { SeededRandom.mixed($0 ^ UInt64($1)) }
    }

    /// All rows except those that a new project already has. A row comes after the rows that it refers to.
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

    /// A row's id. It looks like a UUID, as clients make them.
    func rowID(_ collection: SampleCollection, _ index: Int) -> String {
        let number = SeededRandom.mixed((seed ^ collection.salt) &+ UInt64(index))
        let digits = Hex.text(number) + Hex.text(SeededRandom.mixed(~number))
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}
