import Foundation
package import SyncProtocol
package import SyncSchema

extension SegmentScan {
    /// What a scan of a part of a project serves, and by which numbers it goes.
    package struct PartScan: Sendable, Hashable {
        package enum Role: Sendable, Hashable {
            /// Rows in the part, and all tombstones.
            case present
            /// Rows in the part that the client does not have although their number is not above its watermark.
            case coming
            /// Rows outside the part that the client may have, as ids.
            case leaving
        }

        /// The rows that the scan looks at. They are in an order that no later commit changes.
        package enum Source: Sendable, Hashable {
            /// By the numbers that the scan's `rows` name.
            case numbered
            /// Live rows that moved, for 0, or that follow one that moved, so many steps away; by the commit of the
            /// move, then by the ids of that row, of those between, and of the row itself.
            case moved(level: Int)
            /// Live rows by `(created_seq, id)`.
            case created
            /// Of these, only those that the caller made after the watermark and that have not moved since.
            case ownBirths
            /// Live rows that meet an alternative and none before it, or that follow such rows; by the index that the
            /// key names. In a drain to another part without those that `moved` and `ownBirths` look at.
            case alternative(Int, by: Key)
            /// The same of the part that the client has.
            case formerAlternative(Int, by: Key)

            /// Whether its rows have moved, or were made, since the watermark, and come in the order in which they did.
            package var isOfNews: Bool {
                switch self {
                case .moved, .ownBirths: true
                case .numbered, .created, .alternative, .formerAlternative: false
                }
            }
        }

        /// By what the rows of an alternative are looked up.
        package struct Key: Sendable, Hashable {
            /// Which of the alternative's terms; nil for the order of creation.
            package let term: Int?
            /// Which of the term's ranges in the index.
            package let range: Int
            /// Whether the term alone tells the rows from those of alternatives of the other part, and the ranges leave
            /// out theirs.
            package let isDifference: Bool

            package init(term: Int?, range: Int = 0, isDifference: Bool = false) {
                self.term = term
                self.range = range
                self.isDifference = isDifference
            }
        }

        package let part: Part
        /// The part that the client has; nil if it is the same.
        package let was: Part?
        package var role: Role
        package var source: Source
        /// The client's watermark.
        package let since: SyncSeq
        /// Who asks.
        package let user: Int64
        /// The drain's head. What moved after it belongs to the next drain.
        package var until = SyncSeq.maximum

        package init(
            part: Part, was: Part? = nil, role: Role, source: Source, since: SyncSeq, user: Int64
        ) {
            self.part = part
            self.was = was
            self.role = role
            self.source = source
            self.since = since
            self.user = user
        }
    }
}

extension SegmentScan.PartScan {
    /// The collections that decide about rows of `collection`, in this part or in the one before.
    package func path(of collection: Collection, in registry: Registry) -> [Collection] {
        let now = part.path(of: collection, in: registry)
        let before = was?.path(of: collection, in: registry) ?? []
        return now.count > before.count ? now : before
    }

    /// By what the scan looks up the rows of an alternative of the last collection of `path`; nil for other scans.
    package func lookup(in path: [Collection]) -> Lookup? {
        guard let top = path.last?.name else { return nil }
        let now = part.alternatives[top] ?? []
        let before = was?.alternatives[top] ?? []
        switch source {
        case .alternative(let index, let key): return Lookup(index, of: now, by: key, beside: before)
        case .formerAlternative(let index, let key): return Lookup(index, of: before, by: key, beside: now)
        case .numbered, .moved, .created, .ownBirths: return nil
        }
    }

    /// Whether the scan looks rows up by the values of an alternative.
    package var looksUp: Bool {
        switch source {
        case .alternative, .formerAlternative: true
        case .numbered, .moved, .created, .ownBirths: false
        }
    }

    /// A way to find the rows of an alternative.
    package enum Lookup {
        case creation
        /// By the field at the position.
        case field(Int, Part.IndexRange)

        fileprivate init?(
            _ index: Int, of alternatives: [Part.Alternative], by key: Key, beside others: [Part.Alternative]
        ) {
            guard alternatives.indices.contains(index) else { return nil }
            guard let place = key.term else {
                self = .creation
                return
            }
            let alternative = alternatives[index]
            let conditions = key.isDifference ? alternative.conditions(besides: place, of: others) : []
            let ranges = alternative[place].condition.ranges(without: conditions)
            guard ranges.indices.contains(key.range) else { return nil }
            self = .field(alternative[place].position, ranges[key.range])
        }

        /// Whether it goes by the values of the field.
        fileprivate var hasValues: Bool { if case .field(_, .values) = self { true } else { false } }
    }
}

/// Positions of scans of parts.
extension SegmentScan.PartScan {
    /// The position at a row: `value` is the one by which a range is sorted, `ids` those of the rows that lead to it.
    package static func position(seq: SyncSeq, value: JSON?, ids: [String]) -> KeysetPosition {
        let first = value.map { [Base64URL.encode(Data($0.text.utf8))] } ?? []
        return KeysetPosition(seq: seq, id: (first + ids).joined(separator: "/"))
    }

    /// What `position` was made from. Nil for a position before the first row.
    package static func parts(
        of position: KeysetPosition, hasValue: Bool
    ) -> (value: JSON?, ids: [String])? {
        guard !position.id.isEmpty else { return nil }
        var ids = position.id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard hasValue else { return (nil, ids) }
        let text = Base64URL.decode(ids.removeFirst())
        return (text.flatMap { try? JSON(parsing: $0) } ?? .null, ids)
    }
}

/// What a scan of a part does with a single row. A store says the same of whole ranges.
///
/// `path` are the collections that decide about the row, `chain` is the row and those that it follows, as far as there
/// are any.
extension SegmentScan.PartScan {
    /// The scan's position at the row. Nil if the scan does not look at it, or if another scan of the same role does.
    package func position(of chain: [StoredRow], in path: [Collection]) -> KeysetPosition? {
        let row = chain[0]
        switch source {
        case .numbered: return KeysetPosition(seq: row.seq, id: row.id)
        case .created: return KeysetPosition(seq: row.createdSeq, id: row.id)
        case .ownBirths: return isOwnBirth(row) ? KeysetPosition(seq: row.createdSeq, id: row.id) : nil
        case .moved(let level):
            guard chain.indices.contains(level), let moved = chain[level].filterSeq else { return nil }
            guard !chain[..<level].contains(where: { $0.filterSeq.map { $0 > since } ?? false }),
                level == 0 || !isOwnBirth(row)
            else { return nil }
            return Self.position(seq: moved, value: nil, ids: chain[...level].reversed().map(\.id))
        case .alternative, .formerAlternative:
            guard let lookup = lookup(in: path), chain.count == path.count else { return nil }
            return position(of: chain, by: lookup)
        }
    }

    private func position(of chain: [StoredRow], by lookup: Lookup) -> KeysetPosition? {
        let top = chain[chain.count - 1]
        let ids = chain.reversed().map(\.id)
        switch lookup {
        case .creation: return Self.position(seq: top.createdSeq, value: nil, ids: ids)
        case .field(let place, .value(let value)):
            return top.values[place] == value ? Self.position(seq: top.createdSeq, value: nil, ids: ids) : nil
        case .field(let place, .values(let ends)):
            let value = top.values[place]
            return ends.hold(value) ? Self.position(seq: top.createdSeq, value: value, ids: ids) : nil
        case .field(let place, .element(let element, let others)):
            let list = top.values[place].array ?? []
            guard list.contains(element), !list.contains(where: others.contains) else { return nil }
            return Self.position(seq: SyncSeq(1), value: nil, ids: ids)
        }
    }

    /// Whether the scan comes to the first position before the second.
    package func isBefore(_ one: KeysetPosition, _ other: KeysetPosition, in path: [Collection]) -> Bool {
        let hasValue = lookup(in: path)?.hasValues ?? false
        let first = Self.parts(of: one, hasValue: hasValue)
        let second = Self.parts(of: other, hasValue: hasValue)
        if hasValue, first == nil || second == nil { return first == nil && second != nil }
        if let value = first?.value, let next = second?.value, value != next { return value.isBelow(next) }
        guard one.seq == other.seq else { return one.seq < other.seq }
        return (first?.ids ?? []).lexicographicallyPrecedes(second?.ids ?? [])
    }

    /// Whether the caller made the row after the watermark, and it has not moved since.
    private func isOwnBirth(_ row: StoredRow) -> Bool {
        row.filterSeq == nil && row.createdSeq > since && row.insertedBy == user
    }

    /// Whether the row, or one that it follows, has moved since the watermark.
    private func hasMoved(_ chain: [StoredRow]) -> Bool {
        chain.contains { $0.filterSeq.map { $0 > since } ?? false }
    }

    /// Whether the scan serves the live row.
    package func serves(_ chain: [StoredRow], of path: [Collection], in registry: Registry) -> Bool {
        let row = chain[0]
        let moved = moved(chain, in: part, of: path[0], registry)
        let isIn = part.holds(row, of: path[0], followed: chain[1...], in: registry)
        switch (source, role) {
        case (.alternative(let index, _), .present):
            return isFirst(index, of: part, chain: chain, path: path) && moved <= until && row.seq <= until
        case (.alternative(let index, _), _):
            guard isFirst(index, of: part, chain: chain, path: path), moved <= until, row.seq <= since else {
                return false
            }
            return !hasMoved(chain) && !wasIn(chain, of: path, in: registry)
        case (.formerAlternative(let index, _), _):
            guard isFirst(index, of: was, chain: chain, path: path), moved <= until, !isIn else { return false }
            return !hasMoved(chain) && !isOwnBirth(row)
        case (.numbered, .present): return isIn
        case (.numbered, _), (.moved, _), (.created, _), (.ownBirths, _): break
        }
        guard isIn == (role == .coming), role == .leaving || row.seq <= since, moved <= until else { return false }
        guard let was else { return moved > since && (role == .coming || isKnown(row, moved: moved)) }
        // Of a row that has moved nobody knows whether the client has it.
        if source.isOfNews { return moved > since }
        if max(moved, self.moved(chain, in: was, of: path[0], registry)) > since { return true }
        return wasIn(chain, of: path, in: registry) == (role == .leaving)
    }

    private func wasIn(_ chain: [StoredRow], of path: [Collection], in registry: Registry) -> Bool {
        was?.holds(chain[0], of: path[0], followed: chain[1...], in: registry) ?? true
    }

    /// Whether the alternative is the first of the part that the last row of the chain meets.
    private func isFirst(_ index: Int, of part: Part?, chain: [StoredRow], path: [Collection]) -> Bool {
        let top = path[path.count - 1]
        let first = part?.alternatives[top.name]?.firstIndex { alternative in
            alternative.allSatisfy { $0.condition.holds(chain[chain.count - 1].values[$0.position]) }
        }
        return first == index
    }

    /// The last commit that changed what decides whether the row is in the part; zero if the part has all rows.
    private func moved(
        _ chain: [StoredRow], in part: Part, of collection: Collection, _ registry: Registry
    ) -> SyncSeq {
        let levels = part.path(of: collection, in: registry).count
        return chain.prefix(levels).map { $0.filterSeq ?? $0.createdSeq }.max() ?? .zero
    }

    /// Whether the client may have the row, of which what decides about it changed last at `moved`. Without a new part,
    /// it does not have a row that others made, and that never was in the part.
    private func isKnown(_ row: StoredRow, moved: SyncSeq) -> Bool {
        row.createdSeq <= since || moved > row.createdSeq || row.insertedBy == user
    }
}
