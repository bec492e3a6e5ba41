import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// How a part narrows what a drain has of one collection.
///
/// What decides whether a row is in the part changes only with a commit that the row, or one that it follows, notes as
/// its `filterSeq`. So of a row that nothing moved after the drain's head, the drain may say what is true of it now.
struct Narrowing {
    private let collection: Collection
    private let request: PartRequest
    private let since: SyncSeq
    private let isFromZero: Bool
    private let user: Int64
    /// The collections that decide about the rows.
    private let path: [Collection]
    private let registry: Registry
    private var levels: Int { path.count }

    /// Nil if the collection is whole, for a pull without a part too.
    init?(_ collection: Collection, for request: PullRequest, access: ProjectAccess, registry: Registry) {
        guard let part = request.part else { return nil }
        self.collection = collection
        self.request = part
        since = request.since
        isFromZero = request.isFromZero
        user = access.caller.userID
        self.registry = registry
        let whole = SegmentScan.PartScan(
            part: part.part, was: isFromZero ? nil : part.was, role: .present, source: .numbered, since: since,
            user: user)
        path = whole.path(of: collection, in: registry)
        guard !path.isEmpty else { return nil }
    }

    private func scan(_ role: SegmentScan.PartScan.Role, _ source: SegmentScan.PartScan.Source) -> SegmentScan.PartScan
    {
        SegmentScan.PartScan(
            part: request.part, was: isFromZero ? nil : request.was, role: role, source: source, since: since,
            user: user)
    }

    /// The segment, without live rows that are not in the part. A drain from 0 takes the indexes of what is asked for,
    /// one alternative after the other.
    func present(_ segment: DrainPlan.Segment) -> [DrainPlan.Segment] {
        let sources = isFromZero ? lookups(in: request.part)?.map(\.source) ?? [.numbered] : [.numbered]
        return sources.map { source in
            var segment = segment
            segment.part = scan(.present, source)
            return segment
        }
    }

    /// Where the rows of a part are looked up.
    private struct Lookup {
        let alternative: Int
        let key: SegmentScan.PartScan.Key

        var source: SegmentScan.PartScan.Source { .alternative(alternative, by: key) }
        var formerSource: SegmentScan.PartScan.Source { .formerAlternative(alternative, by: key) }
    }

    /// Nil if rows may be in the part without a row that they follow.
    private func lookups(in part: Part, isFormer: Bool = false) -> [Lookup]? {
        guard let top = path.last, let alternatives = part.alternatives[top.name],
            path.dropLast().allSatisfy({ $0.follows.flatMap($0.field).map { !$0.value.isNullable } ?? false })
        else { return nil }
        let lookups = alternatives.enumerated().flatMap { index, alternative in
            let place = PartChoice.Place(isFormer: isFormer, collection: top.name, index: index)
            return alternative.keys(in: top, by: request.choice.term(of: place)).map {
                Lookup(alternative: index, key: $0)
            }
        }
        // Each collection has a segment, also one without rows.
        return lookups.isEmpty ? [Lookup(alternative: 0, key: SegmentScan.PartScan.Key(term: nil))] : lookups
    }

    /// The segments of rows that come and leave although `seen` does not have them.
    func moves(beside seen: DrainPlan.Segment) -> [DrainPlan.Segment] {
        guard !isFromZero else { return [] }
        // A drain that has all rows of the part anyway has these too, unless it has old rows for a new column only.
        let hasAll = seen.lower == .zero && seen.oldRows == nil
        let sources = self.sources
        return (hasAll ? [] : sources.coming).map { segment(.coming, $0, beside: seen) }
            + sources.leaving.map { segment(.leaving, $0, beside: seen) }
    }

    private typealias Sources = (coming: [SegmentScan.PartScan.Source], leaving: [SegmentScan.PartScan.Source])

    private var sources: Sources {
        let moved = (0..<levels).map { SegmentScan.PartScan.Source.moved(level: $0) }
        guard let was = request.was else { return (moved, moved + [.ownBirths]) }
        // The same rows decide about both parts, so what is true of a row that has not moved stays so in the drain.
        guard was.path(of: collection, in: registry).count == request.part.path(of: collection, in: registry).count,
            let now = lookups(in: request.part), let before = lookups(in: was, isFormer: true)
        else { return ([.created], [.created]) }
        return (now.map(\.source), before.map(\.formerSource) + moved + [.ownBirths])
    }

    private func segment(
        _ role: SegmentScan.PartScan.Role, _ source: SegmentScan.PartScan.Source, beside seen: DrainPlan.Segment
    ) -> DrainPlan.Segment {
        var segment = DrainPlan.Segment(
            collection: collection, rows: seen.rows, lower: source.isOfNews ? since : .zero, knownTombstones: since,
            isLiveOnly: true)
        if role == .coming { segment.oldRows = seen.oldRows }
        segment.part = scan(role, source)
        return segment
    }
}

extension Part.Alternative {
    /// By what the rows are looked up: by the values of the chosen term, or of the one that probably leaves the fewest;
    /// by their creation if no index serves a term.
    fileprivate func keys(in collection: Collection, by chosen: Int?) -> [SegmentScan.PartScan.Key] {
        let terms = indexedTerms(in: collection)
        guard let term = terms.first(where: { $0 == chosen }) ?? terms.first else {
            return [SegmentScan.PartScan.Key(term: nil)]
        }
        return self[term].keys.map { SegmentScan.PartScan.Key(term: term, value: $0) }
    }

    /// The terms that an index serves, beginning with the one that probably leaves the fewest rows, as far as its form
    /// tells.
    func indexedTerms(in collection: Collection) -> [Int] {
        indices.map { (rank: self[$0].rank(in: collection), index: $0) }
            .filter { $0.rank < Part.Term.noRank }
            .sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }
            .map(\.index)
    }
}

extension Part.Term {
    /// The rank of a term that no index serves.
    fileprivate static let noRank = 100

    /// The ranges of an index that the term takes: one for each value.
    var keys: Range<Int> {
        switch condition {
        case .isOne(let values), .contains(let values): values.indices
        case .isWithin, .begins, .isNone: 0..<1
        }
    }

    /// Lower for a term that few rows meet, as far as its form tells.
    fileprivate func rank(in collection: Collection) -> Int {
        let field = collection.fields[position]
        switch condition {
        case .isOne(let values) where values.contains(.null): return 60
        case .isOne(let values):
            if field.isLookedUp { return values.count > 8 ? 20 : 10 }
            return field.value.allowed != nil || field.value.kind == .boolean ? 50 : 15
        case .contains: return 10
        case .begins: return 30
        case .isWithin(let from, let until): return from != nil && until != nil ? 30 : 40
        case .isNone: return Part.Term.noRank
        }
    }
}
