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
    /// Whether the rows are those that are listed for the user. There is no order in which only these are looked up, so
    /// a drain goes through all of them.
    private let isOfLists: Bool
    private var sources = Sources()

    /// Nil if the collection is whole, for a pull without a part too.
    init?(_ collection: Collection, for request: PullRequest, access: ProjectAccess, registry: Registry) {
        guard let part = request.part else { return nil }
        self.collection = collection
        self.request = part
        since = request.since
        isFromZero = request.isFromZero
        user = access.caller.userID
        self.registry = registry
        isOfLists = if case .listed = access.rows(of: collection, registry) { true } else { false }
        let whole = SegmentScan.PartScan(
            part: part.part, was: isFromZero ? nil : part.was, role: .present, source: .numbered, since: since,
            user: user)
        path = whole.path(of: collection, in: registry)
        guard !path.isEmpty else { return nil }
        sources = findSources()
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
        sources.present.map { source in
            var segment = segment
            segment.part = scan(.present, source)
            return segment
        }
    }

    /// Where the rows of an alternative are looked up.
    private struct Lookup {
        let alternative: Int
        let key: SegmentScan.PartScan.Key

        var source: SegmentScan.PartScan.Source { .alternative(alternative, by: key) }
        var formerSource: SegmentScan.PartScan.Source { .formerAlternative(alternative, by: key) }
    }

    /// Rows that follow none are not found. Of rows that meet an alternative of the other part most are not looked at.
    private func lookups(in part: Part, beside other: Part? = nil, isFormer: Bool = false) -> [Lookup] {
        guard let top = path.last, let alternatives = part.alternatives[top.name] else { return [] }
        let others = other?.alternatives[top.name] ?? []
        return alternatives.enumerated().flatMap { index, alternative in
            let place = PartChoice.Place(isFormer: isFormer, collection: top.name, index: index)
            return alternative.keys(in: top, beside: others, by: request.choice.term(of: place)).map {
                Lookup(alternative: index, key: $0)
            }
        }
    }

    /// Whether each row in the part follows one up to the last collection of the path.
    private var isWithoutLooseRows: Bool {
        path.dropLast().allSatisfy { $0.follows.flatMap($0.field).map { !$0.value.isNullable } ?? false }
    }

    /// The segments of rows that come and leave although `seen` does not have them.
    func moves(beside seen: DrainPlan.Segment) -> [DrainPlan.Segment] {
        guard !isFromZero else { return [] }
        // A drain that has all rows of the part anyway has these too, unless it has old rows for a new column only.
        let hasAll = seen.lower == .zero && seen.oldRows == nil
        return (hasAll ? [] : sources.coming).map { segment(.coming, $0, beside: seen) }
            + sources.leaving.map { segment(.leaving, $0, beside: seen) }
    }

    private typealias Source = SegmentScan.PartScan.Source

    private struct Sources {
        var present: [Source] = [.numbered]
        var coming: [Source] = []
        var leaving: [Source] = []
    }

    private func findSources() -> Sources {
        guard !isFromZero else {
            guard isWithoutLooseRows, !isOfLists else { return Sources() }
            let lookups = lookups(in: request.part)
            // Each collection has a segment, also one without rows.
            let none = Lookup(alternative: .max, key: SegmentScan.PartScan.Key(term: nil))
            return Sources(present: (lookups.isEmpty ? [none] : lookups).map(\.source))
        }
        let moved = path.indices.map { Source.moved(level: $0) }
        // A row that has moved itself has a new number, so it comes by that.
        let followers = moved.dropFirst()
        guard let was = request.was else { return Sources(coming: Array(followers), leaving: moved + [.ownBirths]) }
        guard !isOfLists else { return Sources(coming: [.created], leaving: [.created]) }
        // The same rows decide about both parts, so what is true of a row that has not moved stays so in the drain. A
        // row that follows none is in both.
        guard was.path(of: collection, in: registry).count == request.part.path(of: collection, in: registry).count
        else { return Sources(coming: [.created], leaving: [.created]) }
        return Sources(
            coming: lookups(in: request.part, beside: was).map(\.source) + followers,
            leaving: lookups(in: was, beside: request.part, isFormer: true).map(\.formerSource) + moved + [.ownBirths])
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
    /// A term by which an index finds the rows.
    struct Way {
        let term: Int
        let keys: [SegmentScan.PartScan.Key]
        fileprivate let rank: Int
    }

    /// By what rows are looked up that meet this alternative and none of the others: by the values of the chosen term,
    /// or of the one that probably leaves the fewest; by their creation if no index serves a term.
    fileprivate func keys(
        in collection: Collection, beside others: [Part.Alternative], by chosen: Int?
    ) -> [SegmentScan.PartScan.Key] {
        guard !isWithin(oneOf: others) else { return [] }
        let ways = ways(in: collection, beside: others)
        guard let way = ways.first(where: { $0.term == chosen }) ?? ways.first else {
            return [SegmentScan.PartScan.Key(term: nil)]
        }
        return way.keys
    }

    /// The terms that an index serves, beginning with the one that probably leaves the fewest rows, as far as its form
    /// tells. Where this is all that tells the rows from those of another alternative, its values are left out.
    func ways(in collection: Collection, beside others: [Part.Alternative] = []) -> [Way] {
        let ways = indices.map { term -> Way in
            let conditions = conditions(besides: term, of: others)
            let keys = self[term].condition.ranges(without: conditions).indices.map {
                SegmentScan.PartScan.Key(term: term, range: $0, isDifference: !conditions.isEmpty)
            }
            return Way(term: term, keys: keys, rank: conditions.isEmpty ? self[term].rank(in: collection) : 0)
        }
        return ways.filter { $0.rank < Part.Term.noRank }.sorted { ($0.rank, $0.term) < ($1.rank, $1.term) }
    }
}

extension Part.Term {
    /// The rank of a term that no index serves.
    fileprivate static let noRank = 100

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
