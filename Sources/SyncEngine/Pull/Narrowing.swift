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
    private var levels: Int { path.count }

    /// Nil if the collection is whole, for a pull without a part too.
    init?(_ collection: Collection, for request: PullRequest, access: ProjectAccess, registry: Registry) {
        guard let part = request.part else { return nil }
        self.collection = collection
        self.request = part
        since = request.since
        isFromZero = request.isFromZero
        user = access.caller.userID
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
        let sources = isFromZero ? lookups ?? [.numbered] : [.numbered]
        return sources.map { source in
            var segment = segment
            segment.part = scan(.present, source)
            return segment
        }
    }

    /// Nil if rows may be in the part without a row that they follow.
    private var lookups: [SegmentScan.PartScan.Source]? {
        guard let top = path.last, let alternatives = request.part.alternatives[top.name],
            path.dropLast().allSatisfy({ $0.follows.flatMap($0.field).map { !$0.value.isNullable } ?? false })
        else { return nil }
        let sources = alternatives.enumerated().flatMap { index, alternative in
            alternative.keys(in: top).map { SegmentScan.PartScan.Source.alternative(index, by: $0) }
        }
        // Each collection has a segment, also one without rows.
        return sources.isEmpty ? [.alternative(0, by: SegmentScan.PartScan.Key(term: nil))] : sources
    }

    /// The segments of rows that come and leave although `seen` does not have them.
    func moves(beside seen: DrainPlan.Segment) -> [DrainPlan.Segment] {
        guard !isFromZero else { return [] }
        let moved = (0..<levels).map { SegmentScan.PartScan.Source.moved(level: $0) }
        // A drain that has all rows of the part anyway has these too, unless it has old rows for a new column only.
        let hasAll = seen.lower == .zero && seen.oldRows == nil
        let coming = hasAll ? [] : request.isRoll ? [.created] : moved
        let leaving = request.isRoll ? [.created] : moved + [.created]
        return coming.map { segment(.coming, $0, beside: seen) } + leaving.map { segment(.leaving, $0, beside: seen) }
    }

    private func segment(
        _ role: SegmentScan.PartScan.Role, _ source: SegmentScan.PartScan.Source, beside seen: DrainPlan.Segment
    ) -> DrainPlan.Segment {
        var segment = DrainPlan.Segment(
            collection: collection, rows: seen.rows, lower: request.isRoll ? .zero : since, knownTombstones: since,
            isLiveOnly: true)
        if role == .coming { segment.oldRows = seen.oldRows }
        segment.part = scan(role, source)
        return segment
    }
}

extension Part.Alternative {
    /// By what the rows are looked up: by the values of the term that probably leaves the fewest, or else by their
    /// creation.
    fileprivate func keys(in collection: Collection) -> [SegmentScan.PartScan.Key] {
        let ranks = indices.map { (rank: self[$0].rank(in: collection), index: $0) }
        guard let best = ranks.min(by: { ($0.rank, $0.index) < ($1.rank, $1.index) }), best.rank < Part.Term.noRank
        else { return [SegmentScan.PartScan.Key(term: nil)] }
        return (0..<self[best.index].lookups).map { SegmentScan.PartScan.Key(term: best.index, value: $0) }
    }
}

extension Part.Term {
    /// The rank of a term that no index serves.
    fileprivate static let noRank = 100

    /// How many ranges of an index the term takes.
    fileprivate var lookups: Int {
        switch condition {
        case .isOne(let values), .contains(let values): values.count
        case .isWithin, .begins, .isNone: 1
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
