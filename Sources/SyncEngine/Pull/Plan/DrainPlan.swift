import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// The segments of a drain, in order. A function of the schema, the request and the caller's role history alone, all of
/// which the cursor is bound to, so that a segment's number means the same on every page.
struct DrainPlan {
    struct Segment {
        let collection: Collection
        let rows: SegmentScan.Rows
        /// The segment begins behind this commit.
        var lower: SyncSeq
        let knownTombstones: SyncSeq
        var isLiveOnly = false
        var oldRows: SegmentScan.OldRows?
        var sight: Sight?

        /// It has rows of one user's alone.
        var isPrivate: Bool {
            switch rows {
            case .own, .lost: true
            case .all, .ungated, .hidden: false
            }
        }

        /// It has tombstones only, of rows out of the caller's sight.
        var isOutOfSight: Bool {
            switch rows {
            case .hidden, .lost: true
            case .all, .own, .ungated: false
            }
        }
    }

    let segments: [Segment]
    let delivery: SegmentScan.Delivery

    /// The segments of one collection after the other.
    var collections: [[Segment]] {
        segments.reduce(into: []) { collections, segment in
            if collections.last?.last?.collection.name == segment.collection.name {
                collections[collections.count - 1].append(segment)
            } else {
                collections.append([segment])
            }
        }
    }

    init(_ request: PullRequest, _ access: ProjectAccess, _ registry: Registry) {
        segments = request.collections(of: registry).flatMap { collection in
            DrainPlan.segments(collection, request, access, registry)
        }
        let user = request.created == .ofOthers ? access.caller.userID : nil
        let created = SegmentScan.CreatedRows(since: request.since, user: user)
        delivery = SegmentScan.Delivery(encoding: request.encoding, created: request.created == .none ? nil : created)
    }

    /// Rows of a segment behind a position, without limits but that of a page's bytes.
    func scan(_ segment: Segment, project: String, from position: KeysetPosition, upTo head: SyncSeq) -> SegmentScan {
        var scan = SegmentScan(
            collection: segment.collection, project: project, rows: segment.rows, position: position, upper: head,
            knownTombstones: segment.knownTombstones)
        scan.isLiveOnly = segment.isLiveOnly
        scan.oldRows = segment.oldRows
        scan.sight = segment.sight
        scan.delivery = delivery
        return scan
    }

    /// A gated collection restarts from 0 where the caller's role rose after `since`. What the caller lost sight of
    /// follows as tombstones. At `since=0` the client drops what is not named, so nothing needs to be taken back.
    private static func segments(
        _ collection: Collection, _ request: PullRequest, _ access: ProjectAccess, _ registry: Registry
    ) -> [Segment] {
        let since = request.since
        let rows = access.rows(of: collection, registry)
        let isWidened = collection.isGated && since < access.widenedSeq
        var seen = seen(collection, rows, from: isWidened ? .zero : since, request)
        if since > .zero, case .own(_, let user) = rows {
            let lost = Segment(collection: collection, rows: .lost(user: user), lower: since, knownTombstones: since)
            return [seen, lost]
        }
        guard since > .zero, let sight = access.sight(of: collection, since: since, registry) else { return [seen] }
        seen.sight = sight
        guard rows == .ungated else { return [seen] }
        let hidden = Segment(
            collection: collection, rows: .hidden, lower: since < access.narrowedSeq ? .zero : since,
            knownTombstones: since, sight: sight)
        return [seen, hidden]
    }

    /// What the caller may see. A segment that begins behind `since` takes in what the migration asks for.
    private static func seen(
        _ collection: Collection, _ rows: SegmentScan.Rows, from lower: SyncSeq, _ request: PullRequest
    ) -> Segment {
        var segment = Segment(
            collection: collection, rows: rows, lower: lower, knownTombstones: request.since,
            isLiveOnly: request.isWithoutTombstones)
        if lower > .zero { request.migration?.extend(&segment, since: request.since) }
        return segment
    }
}
