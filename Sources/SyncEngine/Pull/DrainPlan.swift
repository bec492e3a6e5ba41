import SyncProtocol
import SyncSchema

/// The segments of a drain, in order. A function of the schema, the request and the caller's role history alone, all of
/// which the cursor is bound to, so that a segment's number means the same on every page.
struct DrainPlan {
    struct Segment {
        let collection: Collection
        let rows: SegmentScan.Rows
        /// The segment begins behind this commit.
        let lower: SyncSeq
        let knownTombstones: SyncSeq

        /// It has tombstones only, of rows out of the caller's sight.
        var isHidden: Bool { if case .hidden = rows { true } else { false } }
    }

    let segments: [Segment]

    /// The segments of each collection.
    var buckets: [[Segment]] {
        segments.reduce(into: []) { buckets, segment in
            if buckets.last?.last?.collection.name == segment.collection.name {
                buckets[buckets.count - 1].append(segment)
            } else {
                buckets.append([segment])
            }
        }
    }

    init(_ request: PullRequest, _ access: ProjectAccess, _ registry: Registry) {
        segments = request.collections(of: registry).flatMap { collection in
            DrainPlan.segments(collection, since: request.since, access, registry)
        }
    }

    private static func segments(
        _ collection: Collection, since: SyncSeq, _ access: ProjectAccess, _ registry: Registry
    ) -> [Segment] {
        switch collection.visibility {
        case .everyone:
            [Segment(collection: collection, rows: .all, lower: since, knownTombstones: since)]
        case .own(let field):
            [
                Segment(
                    collection: collection, rows: .own(field: field, user: access.caller.userID), lower: since,
                    knownTombstones: since)
            ]
        case .gate, .inherited:
            gated(collection, since: since, access, isOpen: access.sees(behindGateOf: collection, registry))
        }
    }

    /// A gated collection restarts from 0 where the caller's role rose after `since`, and what the caller lost sight of
    /// follows as tombstones. At `since=0` the client drops what is not named, so nothing needs to be taken back.
    private static func gated(
        _ collection: Collection, since: SyncSeq, _ access: ProjectAccess, isOpen: Bool
    ) -> [Segment] {
        let seen = Segment(
            collection: collection, rows: isOpen ? .all : .ungated,
            lower: since < access.widenedSeq ? .zero : since, knownTombstones: since)
        guard !isOpen, since > .zero else { return [seen] }
        let hidden = Segment(
            collection: collection, rows: .hidden(since: since, narrowedSeq: access.narrowedSeq),
            lower: since < access.narrowedSeq ? .zero : since, knownTombstones: since)
        return [seen, hidden]
    }
}

extension ProjectAccess {
    /// Whether the caller sees rows of the collection that its gate hides from others.
    func sees(behindGateOf collection: Collection, _ registry: Registry) -> Bool {
        switch collection.visibility {
        case .everyone, .own: true
        case .gate(_, _, let needed): role >= needed
        case .inherited(let field):
            collection.field(field)?.reference.flatMap { registry[$0.collection] }
                .map { sees(behindGateOf: $0, registry) } ?? false
        }
    }

    /// Whether the caller may see the record at all.
    func sees(_ record: StoredRow, in collection: Collection, _ registry: Registry) -> Bool {
        switch collection.visibility {
        case .everyone: true
        case .own(let field): record.values[collection.position(field)!] == .int(caller.userID)
        case .gate, .inherited: !record.isGated || sees(behindGateOf: collection, registry)
        }
    }
}
