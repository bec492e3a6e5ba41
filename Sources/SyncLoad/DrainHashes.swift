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
