import NIOCore
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// A page of a user-wide drain that is about to be read.
///
/// It is a page of one project if it begins inside a share, if only one share is left, or if the share is as large as a
/// page. Then it is the same page as that of the project's own drain, and comes from the same cache. Otherwise it is a
/// run of small shares.
struct UserPagePlan: CacheablePlan {
    let request: UserPullRequest
    let caller: Caller
    let drain: UserDrain
    /// Where the page begins.
    private(set) var start: UserCursor
    /// Index of the share in which the page begins.
    let index: Int
    /// Index of the share in which the page ends.
    private var last: Int
    /// `ProjectAccess.binding` of the last share.
    private var lastAccess = ""
    /// The page, if it is a page of one project.
    private(set) var single: PagePlan?
    /// The end of the drain, if it was read together with its last page.
    var readEnd: UserDrainEnd?

    var isFirst: Bool { request.cursor == nil }

    /// A cursor is good for this long, because older numbers may be thinned.
    private static let cursorAge = Duration.seconds(24 * 3600)

    /// Throws what a user-wide pull throws.
    init(
        _ request: UserPullRequest, for caller: Caller, projects: UserProjects, registry: Registry,
        cursors: CursorCodec, now: Instant, in transaction: any ReadTransaction
    ) throws {
        let binding = request.binding(of: caller.userID, schema: registry.version)
        let cursor = try request.cursor.map { try UserPagePlan.open($0, binding: binding, cursors: cursors, at: now) }
        let drain = try UserDrain(request, projects, pinned: cursor?.number, registry: registry, in: transaction)
        self.request = request
        self.caller = caller
        self.drain = drain
        if let cursor, cursor.fingerprint != drain.fingerprint { throw UserPagePlan.changed }
        start =
            cursor
            ?? UserCursor(
                number: drain.number, pinnedAt: now, fingerprint: drain.fingerprint, rows: 0, total: nil,
                place: UserCursor.Place(project: drain.shares.first?.project ?? "-"))
        let project = start.place.project
        guard let index = drain.shares.firstIndex(where: { $0.project == project }) ?? (cursor == nil ? 0 : nil) else {
            throw UserPagePlan.changed
        }
        self.index = index
        last = index
        if cursor == nil { start.total = try total(registry, transaction) }
        guard index < drain.shares.count, try isOfOneProject(registry, transaction) else { return }
        single = try plan(ofShare: index, from: start.place.inside, registry, transaction)
        lastAccess = single?.view.access.binding ?? ""
    }

    var shared: PagePlan? { single?.shared }

    func binding(_ registry: Registry) -> String { request.binding(of: caller.userID, schema: registry.version) }

    private static func open(
        _ text: String, binding: String, cursors: CursorCodec, at now: Instant
    ) throws -> UserCursor {
        guard let cursor = UserCursor(text: try cursors.open(text, boundTo: binding)) else { throw changed }
        guard now <= cursor.pinnedAt.advanced(by: cursorAge) else {
            throw Problem(.invalidCursor, "This cursor is older than a day. Restart from page 1.")
        }
        return cursor
    }

    static var changed: Problem {
        Problem(.invalidCursor, "Your projects have changed since this drain began. Restart from page 1.")
    }

    /// The `total` of `progress`; nil if unknown.
    private func total(_ registry: Registry, _ transaction: any ReadTransaction) throws -> Int? {
        guard request.form.part == nil else { return nil }
        if drain.shares.isEmpty { return 0 }
        guard request.since == .zero else { return nil }
        return try drain.shares.reduce(0) { try $0 + rows(of: $1, registry, transaction) }
    }

    /// About how many rows a share has that is served from 0. Collections of which the caller sees only some rows are
    /// left out, because their number tells something of the others.
    private func rows(
        of share: ProjectShare, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws -> Int {
        guard let request = share.request(request.form) else { return 0 }
        let access = try ProjectAccess(caller, project: share.project, in: transaction)
        let counts = try transaction.counts(project: share.project)
        return request.form.collections(of: registry).reduce(0) { sum, collection in
            guard access.rows(of: collection, registry) == .all else { return sum }
            let count = counts[collection.name] ?? RowCounts(live: 0, tombstones: 0)
            return sum + count.live + (share.kind == .all && !request.isWithoutTombstones ? count.tombstones : 0)
        }
    }

    private func isOfOneProject(_ registry: Registry, _ transaction: any ReadTransaction) throws -> Bool {
        let share = drain.shares[index]
        switch share.kind {
        case .left: return false
        case _ where start.place.inside != nil || index == drain.shares.count - 1: return true
        case .changed: return false
        case .all, .joined, .replaced, .returned:
            return try rows(of: share, registry, transaction) >= request.form.pageSize
        }
    }

    /// Whether a share fits on a page that has room for this many rows, as far as the counts tell.
    func mayFit(_ share: Int, rows: Int, registry: Registry, in transaction: any ReadTransaction) throws -> Bool {
        switch drain.shares[share].kind {
        case .left, .changed: true
        case .all, .joined, .replaced, .returned:
            try self.rows(of: drain.shares[share], registry, transaction) <= rows
        }
    }

    /// The pull of a share that is not of a project that the client is to drop.
    func plan(
        ofShare index: Int, from inside: UserCursor.Inside?, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws -> PagePlan? {
        let share = drain.shares[index]
        guard let request = share.request(request.form) else { return nil }
        let view = try CallerView(caller, project: share.project, registry, in: transaction)
        if let inside, inside.access != view.access.binding { throw UserPagePlan.changed }
        return PagePlan(
            shareOf: request, view, registry, head: try drain.head(of: share.project, in: transaction),
            from: inside.map { SharedPage.Place(segment: $0.segment, position: $0.position, choice: $0.choice) })
    }

    /// The segments of a share of a project that the client is to drop.
    func drainPlan(
        left share: ProjectShare, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws -> DrainPlan {
        guard case .left(let loss) = share.kind else { throw UserPagePlan.changed }
        let access = try transaction.access(project: share.project, user: caller.userID)
        return DrainPlan(loss, access: access, of: caller, form: request.form, registry: registry)
    }

    // MARK: The end of the page

    /// Takes over where the run of shares ended.
    mutating func end(with run: ShareRun) { (last, lastAccess) = (run.last, run.access) }

    /// The cursor of the next page; nil if the drain is done.
    func next(_ page: SharedPage) -> UserCursor? {
        var cursor = start
        cursor.rows += page.rows
        if let place = page.next {
            cursor.place = UserCursor.Place(project: drain.shares[last].project)
            cursor.place.inside = UserCursor.Inside(
                segment: place.segment, position: place.position, access: lastAccess, choice: place.choice)
            return cursor
        }
        guard last + 1 < drain.shares.count else { return nil }
        cursor.place = UserCursor.Place(project: drain.shares[last + 1].project)
        return cursor
    }

    /// The end of a drain of no share, or of one, whose page has its digests; nil for any other drain.
    func endOnPage(_ page: SharedPage) -> UserDrainEnd? {
        guard drain.outside.isEmpty else { return nil }
        if drain.shares.isEmpty { return UserDrainEnd() }
        guard drain.shares.count == 1, let single, let digest = page.digest.flatMap({ try? JSON(parsing: $0) })
        else { return nil }
        let project = single.request.project
        return UserDrainEnd(heads: [project: single.start.timestamp], digests: [project: digest])
    }

    /// The page's end, as far as it does not depend on what was read.
    var trailer: UserPageTrailer {
        var trailer = UserPageTrailer(
            number: drain.number, rows: start.rows, total: start.total, isFiltered: request.form.part != nil)
        if isFirst { trailer.left = drain.left }
        let begun = drain.shares.isEmpty ? [] : drain.shares[index...last]
        trailer.replaced = begun.filter { $0.kind == .replaced }.map(\.project)
        if start.place.inside != nil { trailer.replaced.removeAll { $0 == start.place.project } }
        return trailer
    }
}

/// The position of a user-wide drain between two pages.
struct UserCursor: Equatable {
    /// The number that page 1 pinned, and when.
    var number: CommitNumber
    var pinnedAt: Instant
    /// `UserDrain.fingerprint` of page 1.
    var fingerprint: String
    /// Rows served by the pages so far.
    var rows: Int
    /// The `progress.total` of page 1.
    var total: Int?
    var place: Place

    /// Where the next page begins.
    struct Place: Equatable {
        var project: String
        /// Nil at the start of the project's share.
        var inside: Inside?
    }

    struct Inside: Equatable {
        /// Index into the segments of the share's drain plan.
        var segment: Int
        var position: KeysetPosition
        /// `ProjectAccess.binding` of the pages before. Empty for a project that the client is to drop.
        var access: String
        /// By what the share's drain looks rows up.
        var choice = PartChoice()

        var text: String {
            "\(segment) \(position.seq) \(position.id) \(access)" + (choice.isEmpty ? "" : " \(choice.text)")
        }
    }

    var text: String {
        let start = "\(number.rawValue) \(pinnedAt.milliseconds) \(fingerprint) \(rows)"
        let inside = place.inside.map { " \($0.text)" } ?? ""
        return "\(start) \(total.map(String.init) ?? "-") \(place.project)\(inside)"
    }

    init(
        number: CommitNumber, pinnedAt: Instant, fingerprint: String, rows: Int, total: Int?, place: Place
    ) {
        self.number = number
        self.pinnedAt = pinnedAt
        self.fingerprint = fingerprint
        self.rows = rows
        self.total = total
        self.place = place
    }

    init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard [6, 10, 11].contains(parts.count), let number = Int64(parts[0]), let date = Int64(parts[1]),
            let rows = Int(parts[3])
        else { return nil }
        var place = Place(project: parts[5])
        if parts.count > 6 {
            guard let segment = Int(parts[6]), let seq = Int64(parts[7]) else { return nil }
            let position = KeysetPosition(seq: SyncSeq(seq), id: parts[8])
            guard let choice = parts.count > 10 ? PartChoice(text: parts[10]) : PartChoice() else { return nil }
            place.inside = Inside(segment: segment, position: position, access: parts[9], choice: choice)
        }
        self.init(
            number: CommitNumber(number), pinnedAt: Instant(milliseconds: date), fingerprint: parts[2], rows: rows,
            total: Int(parts[4]), place: place)
    }
}

/// The members of a user-wide pull's answer that follow `changes`.
struct UserPageTrailer {
    var number: CommitNumber
    var nextCursor: String?
    /// Rows that the drain has served so far.
    var rows: Int
    /// An estimate of the drain's rows; nil if unknown.
    var total: Int?
    /// Of the first page: the projects that the client has to drop.
    var left: [LeftProject]?
    /// Projects that begin on this page and replace what the client has of them.
    var replaced: [String] = []
    /// Of the last page.
    var end: UserDrainEnd?
    /// Whether the drain has a part only. Older servers ignore the parameters that ask for one.
    var isFiltered = false

    /// Whether the drain had no row and nothing to tell of projects so far. A later page has no `left`, but it is asked
    /// for only if the first page had nothing.
    var isEmpty: Bool { rows == 0 && left?.isEmpty ?? true && replaced.isEmpty }

    /// The head to tell with the page, which was read at this number. A project may have a commit without a number yet
    /// (docs/decisions/0021-postgresql-as-second-engine.md): its digest is null, and the commit will get a later number
    /// than the drain has. So the drain does not count.
    func head(at newest: CommitNumber) -> Int64 {
        let hasChanged = end?.digests.values.contains(.null) ?? false
        return max(newest.watermark, hasChanged ? number.watermark + 1 : 0)
    }

    var bytes: ByteBuffer {
        var members: [String: JSON] = [
            "has_more": .bool(nextCursor != nil), "next_cursor": nextCursor.map(JSON.string) ?? .null,
            "progress": ["rows": .int(Int64(rows)), "total": total.map { .int(Int64(max($0, rows))) } ?? .null],
            "timestamp": .int(number.watermark),
        ]
        if isFiltered { members["filtered"] = true }
        members["left_projects"] = left.map { .array($0.map(\.json)) }
        if !replaced.isEmpty { members["replaced"] = .array(replaced.map(JSON.string)) }
        members["digest"] = end.map { .object($0.digests) }
        members["heads"] = end.map { .object($0.heads.mapValues { .int($0.rawValue) }) }
        // The document is open: the members follow `changes`.
        let text = JSON.object(members).text
        return ByteBuffer(string: "," + text.dropFirst())
    }
}

/// What the last page of a user-wide drain says of its projects.
struct UserDrainEnd: Sendable {
    /// The head of each project that the drain was made at.
    var heads: [String: SyncSeq] = [:]
    /// The digests of each project, in JSON; null for one that has changed meanwhile.
    var digests: [String: JSON] = [:]
}
