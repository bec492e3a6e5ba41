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
