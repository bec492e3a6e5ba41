import NIOCore
import SyncProtocol

/// Compares drains by the hashes of their pages. Drains with the same `timestamp` must carry the same
/// rows, whoever asks. What is hashed of a page are the bytes before the first own-only collection, since
/// these are the same for every user.
struct DrainHashes: Sendable {
    /// The hashes of a drain's pages, without the pages after the last shared row.
    struct PageHash: Hashable, Sendable {
        fileprivate(set) var pages: [UInt64]
    }

    private struct Group: Sendable {
        var counts: [PageHash: Int] = [:]
        /// The drain that was inspected row by row; nil if none was.
        var inspected: PageHash?
        var endedWithoutDigest = false
    }

    private var groups: [Int64: Group] = [:]
    /// The hashes of pages without shared rows.
    private var empty: Set<UInt64> = []
    /// Drains that were inspected row by row, and their rows.
    private(set) var inspectedDrains = 0
    private(set) var inspectedRows = 0
    /// The rows of the last inspected drain: what one user sees of the project.
    private(set) var projectRows = 0
    private(set) var digestedDrains = 0
    private(set) var otherDrains = 0

    /// Whether a drain that starts at this timestamp is plausible. False if an earlier drain with the same timestamp
    /// ended without digests. The head has not moved since, so the earlier drain should have had some.
    func mayBegin(at timestamp: Int64) -> Bool { !(groups[timestamp]?.endedWithoutDigest ?? false) }

    mutating func add(_ pages: [UInt64], at timestamp: Int64, hasDigest: Bool) {
        groups[timestamp, default: Group()].counts[PageHash(pages: pages), default: 0] += 1
        if !hasDigest { groups[timestamp]?.endedWithoutDigest = true }
        otherDrains += 1
    }

    mutating func addInspected(
        _ pages: [UInt64], at timestamp: Int64, hasDigest: Bool, rows: Int, empty print: UInt64
    ) {
        groups[timestamp, default: Group()].inspected = PageHash(pages: pages)
        if !hasDigest { groups[timestamp]?.endedWithoutDigest = true }
        empty.insert(print)
        inspectedDrains += 1
        inspectedRows += rows
        projectRows = rows
        digestedDrains += hasDigest ? 1 : 0
    }

    static func += (left: inout Self, right: Self) {
        left.groups.merge(right.groups) { left, right in
            var sum = left
            sum.counts.merge(right.counts, uniquingKeysWith: +)
            // Two inspected drains with one timestamp: compare each with the other.
            if let inspected = right.inspected {
                if sum.inspected == nil { sum.inspected = inspected } else { sum.counts[inspected, default: 0] += 1 }
            }
            return sum
        }
        left.empty.formUnion(right.empty)
        left.inspectedDrains += right.inspectedDrains
        left.inspectedRows += right.inspectedRows
        if right.inspectedDrains > 0 { left.projectRows = right.projectRows }
        left.digestedDrains += right.digestedDrains
        left.otherDrains += right.otherDrains
    }

    /// What differs. Read this after all drains have been added.
    var mistakes: Mistakes {
        var mistakes = Mistakes()
        for (timestamp, group) in groups {
            let counts = group.counts.map { (stripped($0.key), $0.value) }
            guard let measure = group.inspected.map(stripped) ?? counts.max(by: { $0.1 < $1.1 })?.0 else { continue }
            for (print, count) in counts where print != measure {
                mistakes.note(
                    "Drains with one timestamp carried different rows.",
                    "timestamp \(timestamp): \(print.pages.count) pages against \(measure.pages.count)", times: count)
            }
        }
        return mistakes
    }

    private func stripped(_ print: PageHash) -> PageHash {
        var print = print
        while let last = print.pages.last, empty.contains(last) { print.pages.removeLast() }
        return print
    }
}

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
            let theirs = digest[collection] ?? .empty
            let ours = digests[collection] ?? .empty
            guard theirs != ours else { continue }
            mistakes.note(
                "The rows of a drain do not match the server's digest.",
                "\(collection): \(ours.json.text), the server says \(theirs.json.text)")
        }
    }
}

/// Checks the answer to an upload.
enum UploadAnswer {
    /// The batch's commit. Throws unless every row was applied as a new one.
    static func commit(_ body: ByteBuffer, of batch: UploadBatch) throws(Mistake) -> Int64 {
        guard let answer = try? JSON(parsing: body.readableBytesView), let commit = answer["timestamp"]?.int else {
            throw Mistake("The answer to an upload can't be read.", String(buffer: body).prefix(200).description)
        }
        let applied = answer["applied"]?["tasks"]?["created"]?.array ?? []
        let ids = Set(applied.compactMap { $0["id"]?.string })
        guard ids == Set(batch.ids), applied.count == batch.ids.count else {
            throw Mistake(
                "An upload was answered 200, but not all of its rows were applied.",
                "\(ids.count) of \(batch.ids.count); \(String(buffer: body).prefix(200))")
        }
        return commit
    }
}

/// What a server did wrong, how often, and an example of each kind. Ordered by first occurrence.
package struct Mistakes: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// A sentence without particulars.
        package let what: String
        package var count: Int
        /// The particulars of the first occurrence.
        package let example: String
    }

    /// One entry for each kind of mistake, in the order of their first occurrence.
    package private(set) var entries: [Entry] = []
    /// The number of all mistakes.
    package var count: Int { entries.reduce(0) { $0 + $1.count } }
    package var isEmpty: Bool { entries.isEmpty }

    /// Adds a mistake that occurred `times` times. The example of its first occurrence is kept.
    package mutating func note(_ what: String, _ example: String = "", times: Int = 1) {
        if let index = entries.firstIndex(where: { $0.what == what }) {
            entries[index].count += times
        } else {
            entries.append(Entry(what: what, count: times, example: example))
        }
    }

    package static func += (left: inout Self, right: Self) {
        for entry in right.entries { left.note(entry.what, entry.example, times: entry.count) }
    }
}

/// Something that the server did wrong: what, without particulars, and an example.
struct Mistake: Error, Equatable {
    let what: String
    let example: String

    init(_ what: String, _ example: String = "") {
        self.what = what
        self.example = example
    }
}

extension Mistakes {
    mutating func note(_ mistake: Mistake) { note(mistake.what, mistake.example) }
}
