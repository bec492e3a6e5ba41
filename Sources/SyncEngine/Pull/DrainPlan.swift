import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// The segments of a drain, in order. They depend only on the schema, the request and the history of the caller's role.
/// The cursor is bound to all three, so a segment's number means the same on every page.
struct DrainPlan {
    struct Segment {
        let collection: Collection
        let rows: SegmentScan.Rows
        /// The segment begins after this commit.
        var lower: SyncSeq
        /// The segment ends with this commit; nil for the head that the drain pins.
        var upper: SyncSeq?
        let knownTombstones: SyncSeq
        var isLiveOnly = false
        var oldRows: SegmentScan.OldRows?
        var sight: Sight?
        /// Which rows of a part it has; nil for all.
        var part: SegmentScan.PartScan?

        /// Whether it has only rows of one user.
        var isPrivate: Bool {
            if part?.role == .leaving { return true }
            return switch rows {
            case .own, .listed, .beside, .lost, .heldOwn, .heldInserted: true
            case .all, .ungated, .hidden, .held: false
            }
        }

        /// The lists that its rows can come in.
        func buckets(_ delivery: SegmentScan.Delivery) -> SegmentScan.Buckets {
            switch (rows, part?.role) {
            case (.hidden, _), (.beside, _), (.lost, _), (.held, _), (.heldOwn, _), (.heldInserted, _):
                [.deleted, delivery.hidden]
            case (_, .leaving): delivery.left
            case (_, .coming): .updated
            case (.all, _), (.own, _), (.listed, _), (.ungated, _): [.updated, .created, .deleted]
            }
        }
    }

    let segments: [Segment]
    let delivery: SegmentScan.Delivery
    /// Whether the drain has a part of the project only.
    var isFiltered = false
    /// Whether each collection has the list `left`.
    var hasLeft = false
    /// By what rows of a part are looked up.
    var choice = PartChoice()

    /// The segments, grouped by collection.
    var collections: [[Segment]] {
        segments.reduce(into: []) { collections, segment in
            if collections.last?.last?.collection.name == segment.collection.name {
                collections[collections.count - 1].append(segment)
            } else {
                collections.append([segment])
            }
        }
    }

    init(_ request: PullRequest, access: ProjectAccess, registry: Registry) {
        segments = request.form.collections(of: registry).flatMap { collection in
            DrainPlan.segments(collection, for: request, access: access, registry: registry)
        }
        let user = request.created == .ofOthers ? access.caller.userID : nil
        let created = SegmentScan.CreatedRows(
            since: request.createdAfter, user: user, from: request.ownCreatedBefore)
        delivery = SegmentScan.Delivery(
            encoding: request.encoding, created: request.created == .none ? nil : created,
            left: request.part?.left ?? .left)
        isFiltered = request.part != nil
        hasLeft = request.hasLeft
        if let part = request.part { choice = part.choice }
    }

    /// The ids of the rows that a client may hold of a project that it is to drop.
    init(
        _ loss: ProjectShare.Loss, access: Access?, of caller: Caller, form: PullForm, registry: Registry
    ) {
        segments = form.collections(of: registry).flatMap { collection in
            let held =
                loss.spans.isEmpty
                ? [] : DrainPlan.held(collection, after: loss, access: access, of: caller, registry: registry)
            let own: String? =
                switch collection.visibility {
                case .own(let field): field
                case .everyone, .listed, .gate, .inherited, .inheritedList: nil
                }
            let rows = SegmentScan.Rows.heldInserted(user: caller.userID, own: own)
            return held + [Segment(collection: collection, rows: rows, lower: loss.last, knownTombstones: .zero)]
        }
        let left = form.part?.left ?? .left
        delivery = SegmentScan.Delivery(
            encoding: form.encoding, left: left, hidden: loss.isOfFilter ? left : .deleted)
        hasLeft = form.part?.left == .left
    }

    private static func held(
        _ collection: Collection, after loss: ProjectShare.Loss, access: Access?, of caller: Caller, registry: Registry
    ) -> [Segment] {
        let gate = caller.isSuperuser ? nil : collection.gateRole(registry)
        // A superuser sees what a role sees, and no list but their own where lists decide alone.
        let isOfLists = collection.isListed && !(caller.isSuperuser && collection.listedRole != nil)
        let sight = Sight(loss, access, gate: gate, isListed: isOfLists, user: caller.userID)
        let user = caller.userID
        let from = loss.spans[0].from
        return switch collection.visibility {
        case .everyone, .gate, .inherited: [Segment(held: collection, .held, upTo: loss.last, sight)]
        case .listed, .inheritedList:
            [Segment(held: collection, .beside(user: user, .all), upTo: loss.last, sight)]
        case .own(let field):
            [
                Segment(held: collection, .heldOwn(field: field, user: user), upTo: loss.last, sight),
                Segment(collection: collection, rows: .lost(user: user), lower: from, knownTombstones: from),
            ]
        }
    }

    /// A scan of a segment's rows after a position. It has no limits except that on a page's bytes.
    func scan(_ segment: Segment, project: String, from position: KeysetPosition, upTo head: SyncSeq) -> SegmentScan {
        var scan = SegmentScan(
            collection: segment.collection, project: project, rows: segment.rows, position: position,
            upper: segment.upper ?? head, knownTombstones: segment.knownTombstones)
        scan.isLiveOnly = segment.isLiveOnly
        scan.oldRows = segment.oldRows
        scan.sight = segment.sight
        scan.part = segment.part
        scan.part?.until = head
        scan.delivery = delivery
        return scan
    }

    /// What the caller sees and what was hidden, then the rows that come into the part, then those that leave it.
    private static func segments(
        _ collection: Collection, for request: PullRequest, access: ProjectAccess, registry: Registry
    ) -> [Segment] {
        let segments = visible(collection, for: request, access: access, registry: registry)
        let narrowing = Narrowing(collection, for: request, access: access, registry: registry)
        guard let narrowing else { return segments }
        return narrowing.present(segments[0]) + segments.dropFirst() + narrowing.moves(beside: segments[0])
    }

    /// A gated collection restarts from 0 if the caller's role rose after `since`, and so does one with lists whose
    /// role the caller has now. Rows that the caller can no longer see follow as tombstones, unless the drain is from
    /// 0. The first segment has the rows that the caller sees.
    private static func visible(
        _ collection: Collection, for request: PullRequest, access: ProjectAccess, registry: Registry
    ) -> [Segment] {
        let since = request.since
        let rows = access.rows(of: collection, registry)
        let isWidened = (collection.isGated || collection.isListed && rows == .all) && since < access.widenedSeq
        var seen = seen(collection, rows: rows, from: isWidened ? .zero : since, for: request)
        guard !request.isFromZero else { return [seen] }
        switch collection.visibility {
        case .everyone: return [seen]
        case .own:
            let user = access.caller.userID
            return [
                seen, Segment(collection: collection, rows: .lost(user: user), lower: since, knownTombstones: since),
            ]
        case .listed, .inheritedList:
            seen.sight = access.sight(of: collection, since: since, registry)
            let beside = DrainPlan.beside(seen, isWidened: isWidened, access: access)
            // Lists alone showed rows before the role rose, so they are asked for all tombstones.
            if isWidened { seen.isLiveOnly = true }
            return [seen] + beside
        case .gate, .inherited:
            guard let sight = access.sight(of: collection, since: since, registry) else { return [seen] }
            seen.sight = sight
            guard rows == .ungated else { return [seen] }
            let hidden = Segment(
                collection: collection, rows: .hidden, lower: since < access.narrowedSeq ? .zero : since,
                knownTombstones: since, sight: sight)
            return [seen, hidden]
        }
    }

    /// What a scan of the rows of a collection with lists does not tell after the caller's role rose or fell.
    private static func beside(_ seen: Segment, isWidened: Bool, access: ProjectAccess) -> [Segment] {
        let since = seen.knownTombstones
        let isRole = seen.rows == .all
        let hasFallen = !isRole && seen.collection.listedRole != nil && since < access.narrowedSeq
        guard isRole ? isWidened : hasFallen, let sight = seen.sight else { return [] }
        let rows = SegmentScan.Rows.beside(user: access.caller.userID, isRole ? .dead : .unlisted)
        return [
            Segment(collection: seen.collection, rows: rows, lower: .zero, knownTombstones: since, sight: sight)
        ]
    }

    /// The rows that the caller may see. A segment that begins after 0 also takes in what the migration asks for.
    private static func seen(
        _ collection: Collection, rows: SegmentScan.Rows, from lower: SyncSeq, for request: PullRequest
    ) -> Segment {
        var segment = Segment(
            collection: collection, rows: rows, lower: lower, knownTombstones: request.since,
            isLiveOnly: request.isWithoutTombstones || request.isFromZero && collection.isListed)
        if request.servesAll { segment.lower = .zero }
        if segment.lower > .zero, let migration = request.migration, migration.concerns(request.project) {
            migration.extend(&segment, since: request.since)
        }
        return segment
    }
}

extension DrainPlan.Segment {
    /// Rows that were created up to `last`, as ids.
    fileprivate init(held collection: Collection, _ rows: SegmentScan.Rows, upTo last: SyncSeq, _ sight: Sight) {
        self.init(
            collection: collection, rows: rows, lower: .zero, upper: last, knownTombstones: .zero, sight: sight)
    }
}

extension DrainPlan {
    /// The list in which the drain has the row; nil if it has nothing of it. `followed` are the rows that it follows,
    /// nearest first. `trace` is what is stored of the drain's reader and the row, `head` the commit that the drain
    /// pins.
    func bucket(
        of row: StoredRow, following followed: [StoredRow], in collection: Collection, _ trace: SightTrace,
        upTo head: SyncSeq, _ registry: Registry
    ) -> SegmentScan.Buckets? {
        for segment in segments where segment.collection.name == collection.name {
            guard let met = segment.form(of: row, trace, upTo: head) else { continue }
            let scan = scan(segment, project: row.project, from: .after(segment.lower), upTo: head)
            guard scan.reads(met, following: followed, registry), let bucket = scan.bucket(of: met) else { continue }
            return bucket
        }
        return nil
    }
}

extension SegmentScan {
    /// Whether the scan serves the row, or reads it, if it is not one of a part.
    fileprivate func reads(_ row: StoredRow, following followed: [StoredRow], _ registry: Registry) -> Bool {
        guard let part else { return reads(row) }
        guard !row.isDeleted else { return part.source == .numbered && reads(row) }
        let path = part.path(of: collection, in: registry)
        let chain = [row] + followed.prefix(max(path.count - 1, 0))
        guard !path.isEmpty, rows.selects(row, in: collection), let place = part.position(of: chain, in: path) else {
            return false
        }
        return place.seq <= upper && part.isBefore(position, place, in: path)
            && part.serves(chain, of: path, in: registry)
    }
}

extension DrainPlan.Segment {
    /// The row as the segment meets it; nil if it can't. A row that its owner lost is a tombstone of the commit that
    /// took it away.
    fileprivate func form(of row: StoredRow, _ trace: SightTrace, upTo head: SyncSeq) -> StoredRow? {
        switch rows {
        case .listed: return trace.span.map(row.listed)
        case .beside(_, let which):
            return row.beside(trace.span, which, since: knownTombstones, upTo: upper ?? head)
        case .lost:
            guard let lostAt = trace.lostAt else { return nil }
            var lost = row
            lost.isDeleted = true
            lost.seq = lostAt
            return lost
        case .all, .own, .ungated, .hidden, .held, .heldOwn, .heldInserted: return row
        }
    }
}

/// What a store keeps of a user and a row.
struct SightTrace {
    /// The commit that took the row of an own-only collection from the user.
    let lostAt: SyncSeq?
    /// When the row was listed for the user.
    let span: ListedSpan?

    init(of key: RowKey, project: String, user: Int64, in transaction: any ReadTransaction) throws {
        lostAt = try transaction.lossSeq(of: key, project: project, user: user)
        span = try transaction.listedSpan(of: key, user: user)
    }
}
