import Crypto
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// A drain over all projects of a user: its shares in order, one for each project.
///
/// The shares are a function of the watermark, the pinned number and the user's stints, so every page finds the same
/// ones. If it does not, because a membership ended or a purge went past a share's start, the drain has to begin again.
struct UserDrain: Sendable {
    /// The number that page 1 pinned.
    let number: CommitNumber
    /// The newest number of the projects that are asked for.
    let newest: CommitNumber
    /// Sorted by project.
    private(set) var shares: [ProjectShare] = []
    /// Projects that the client has to drop, sorted.
    private(set) var left: [LeftProject] = []
    /// Projects outside the part with a commit since the watermark, sorted. Clients settle their batches by all heads.
    private(set) var outside: [String] = []
    private let since: CommitNumber?
    private let form: PullForm
    private let user: Int64
    private let registry: Registry

    /// `pinned` is the number of an earlier page. Throws `since_ahead`, `since_expired`, `not_found`; `invalid_cursor`
    /// for a pinned number of another history.
    init(
        _ request: UserPullRequest, _ projects: UserProjects, pinned: CommitNumber?, registry: Registry,
        in transaction: any ReadTransaction
    ) throws {
        let newest = try projects.newest(of: request.projects)
        if let pinned, pinned < projects.oldest || pinned > newest { throw UserDrain.begunBeforeRestore }
        number = pinned ?? newest
        self.newest = newest
        since = try request.number()
        form = request.form
        user = projects.user
        self.registry = registry
        try projects.requireKnown(since, upTo: newest)
        // A migration or another filter is about projects that have not changed, too.
        let candidates = projects.changed(after: form.migration == nil && !form.isRoll ? since : nil)
        for (project, entry) in candidates.sorted(by: { $0.key < $1.key }) {
            guard request.projects?.contains(project) ?? true else { continue }
            try add(project, entry, in: transaction)
        }
    }

    /// Identifies the shares.
    var fingerprint: String {
        var hash = SHA256()
        for share in shares { hash.update(data: Array((share.text + "\n").utf8)) }
        return hash.finalize().prefix(12).map { String($0, radix: 36) }.joined(separator: ".")
    }

    /// The project's head at the pinned number.
    func head(of project: String, in transaction: any ReadTransaction) throws -> SyncSeq {
        try transaction.head(of: project, at: number) ?? .zero
    }

    private static var begunBeforeRestore: Problem {
        Problem(.invalidCursor, "This cursor is from before a restore of the server. Restart from page 1.")
    }

    // MARK: Shares

    private mutating func add(
        _ project: String, _ entry: UserProjects.Entry, in transaction: any ReadTransaction
    ) throws {
        guard let since else {
            guard try isMember(entry, project, in: transaction) else { return }
            let isInside = try place(of: project, at: .zero, in: transaction).isInside
            return isInside
                ? shares.append(ProjectShare(project: project, kind: .all)) : outside.append(project)
        }
        guard entry.newest > since || form.concernsOldRows(of: project) else { return }
        let known = Known(try transaction.head(of: project, at: since), entry.stints)
        guard try isMember(entry, project, in: transaction) else {
            return try addLeft(project, known, in: transaction)
        }
        let place = try place(of: project, at: known.head, in: transaction)
        switch (place.isInside, known.isMember) {
        case (true, true): try addChanged(project, known, isNew: !place.wasInside, in: transaction)
        case (true, false): try addJoined(project, known, in: transaction)
        case (false, _):
            if entry.newest > since { outside.append(project) }
            if place.mayHaveBeenInside {
                try addOutside(project, known, spans: known.stints, in: transaction)
            } else if try mayHoldOwnRows(of: project, known, in: transaction) {
                try addOutside(project, known, spans: [], in: transaction)
            }
        }
    }

    /// Whether the filter has the project, and whether the client's one before had it.
    private struct Place {
        let isInside: Bool
        /// Whether it certainly was inside at the watermark.
        let wasInside: Bool
        /// Whether it may have been.
        let mayHaveBeenInside: Bool
    }

    /// What decides about the project may have changed after the watermark, from nobody knows what.
    private func place(of project: String, at head: SyncSeq, in transaction: any ReadTransaction) throws -> Place {
        guard let request = form.part, request.part.projects != nil || request.was?.projects != nil,
            let row = try transaction.record(RowKey(registry.projects.name, project))
        else { return Place(isInside: true, wasInside: true, mayHaveBeenInside: true) }
        let hasMoved = row.filterSeq ?? row.createdSeq > head
        let wasInside = (request.was ?? request.part).holds(project: row)
        return Place(
            isInside: request.part.holds(project: row), wasInside: wasInside && !hasMoved,
            mayHaveBeenInside: wasInside || hasMoved)
    }

    /// What a client with the watermark knows of a project, and the user's memberships since.
    private struct Known {
        /// The project's head at the watermark; zero if there was none. After a thinning it may be too low.
        let head: SyncSeq
        /// Those that did not end before the watermark, the first one from `head` on.
        let stints: [Stint]
        /// Whether the user was a member at the watermark.
        let isMember: Bool

        init(_ head: SyncSeq?, _ stints: [Stint]) {
            let start = head ?? .zero
            self.head = start
            isMember = head != nil && stints.contains { $0.covers(start) }
            self.stints = stints.filter { $0.until > start }.map {
                Stint(project: $0.project, from: max($0.from, start), until: $0.until)
            }
        }

        /// Whether a membership has ended since.
        var hasLoss: Bool { stints.contains { $0.until != .maximum } }
        /// Tombstones from before are nothing to the client.
        var tombstonesFrom: SyncSeq {
            isMember ? head : SyncSeq(max((stints.first?.from ?? .zero).rawValue - 1, 0))
        }
    }

    /// A client of `watermelondb` stores rows and watermark in two steps, so it may hold what any drain since had, and
    /// may have dropped what a loss took. Any other client acts on `left_projects` when its watermark moves, too.
    private var mayLag: Bool { form.encoding == .watermelondb }

    /// Whether the user was a member at the pinned number and still is. A membership
    /// that began later comes with the next drain.
    private func isMember(
        _ entry: UserProjects.Entry, _ project: String, in transaction: any ReadTransaction
    ) throws -> Bool {
        guard entry.isMember, let stint = entry.stints.last else { return false }
        return try entry.newest <= number || stint.from <= head(of: project, in: transaction)
    }

    /// `isNew` says that the client may not have the project.
    private mutating func addChanged(
        _ project: String, _ known: Known, isNew: Bool, in transaction: any ReadTransaction
    ) throws {
        guard try isComplete(project, known, in: transaction) else { return try replace(project) }
        let since = known.head
        let isOld = try since == head(of: project, in: transaction)
        if isOld, !isNew, !form.ofProject.concernsOldRows(of: project) { return }
        let createdAfter =
            form.created == .none ? since : try nextCommit(to: project, after: since, in: transaction) ?? since
        let kind: ProjectShare.Kind =
            isNew || mayLag && known.hasLoss
            ? .returned(since: since, createdAfter: createdAfter)
            : .changed(since: since, createdAfter: createdAfter)
        shares.append(ProjectShare(project: project, kind: kind))
    }

    /// Whether the caller may have made rows of the project after the watermark. The device that did so holds them, and
    /// no drain has them. Of many new rows only the first are looked at: the answer is yes then, and does no harm.
    private func mayHoldOwnRows(
        of project: String, _ known: Known, in transaction: any ReadTransaction
    ) throws -> Bool {
        let head = try head(of: project, in: transaction)
        return try form.collections(of: registry).contains { collection in
            var scan = SegmentScan(
                collection: collection, project: project, rows: .held, position: .after(known.tombstonesFrom),
                upper: head, knownTombstones: .zero, examineLimit: UserDrain.mostNewRows)
            scan.sight = MadeBy(user: user)
            scan.buckets = []
            var page = PageWriter(expectedRows: 0)
            let outcome = try transaction.scan(scan, into: &page)
            return !outcome.passed.isEmpty || outcome.hasMore
        }
    }

    /// Rows of each collection that are looked at, in a project outside the part.
    private static let mostNewRows = 200

    /// A project that the filter does not have, and of which the client may hold rows. Clients of `watermelondb` need
    /// their ids: of all rows of these spans, also of those that move or are deleted during the drain, because later
    /// drains tell nothing of the project; and of those that the caller has made since the watermark.
    private mutating func addOutside(
        _ project: String, _ known: Known, spans: [Stint], in transaction: any ReadTransaction
    ) throws {
        left.append(LeftProject(project: project, why: .filtered))
        guard form.encoding == .watermelondb else { return }
        guard try isComplete(project, known, in: transaction) else { throw UserProjects.expired }
        let next = try head(of: project, in: transaction).next
        let spans = spans.map { Stint(project: project, from: $0.from, until: min($0.until, next)) }
        let loss = ProjectShare.Loss(
            spans: spans.filter { $0.from < $0.until }, since: known.head, isOfFilter: true)
        shares.append(ProjectShare(project: project, kind: .left(loss)))
    }

    /// A client that stores page by page may hold rows of a membership that began and ended after its watermark.
    private mutating func addJoined(
        _ project: String, _ known: Known, in transaction: any ReadTransaction
    ) throws {
        guard try isComplete(project, known, in: transaction), mayLag || !known.hasLoss else {
            return try replace(project)
        }
        shares.append(ProjectShare(project: project, kind: .joined(at: known.stints[0].from)))
    }

    /// Whether the server knows of all deletions of rows that the client may hold, and of all that moved in or out of
    /// its part.
    private func isComplete(_ project: String, _ known: Known, in transaction: any ReadTransaction) throws -> Bool {
        let state = try transaction.project(project)
        guard known.tombstonesFrom >= state?.horizon ?? .maximum else { return false }
        return form.part == nil || known.tombstonesFrom >= state?.filterFloor ?? .zero
    }

    /// Throws `since_expired` if the client can't replace the rows of one project.
    private mutating func replace(_ project: String) throws {
        guard form.encoding == .json else { throw UserProjects.expired }
        shares.append(ProjectShare(project: project, kind: .replaced))
    }

    /// The first commit that is certainly not known to the client; nil if that is the one after `head`. Between them,
    /// commits are thinned, of which the client may know some.
    private func nextCommit(
        to project: String, after head: SyncSeq, in transaction: any ReadTransaction
    ) throws -> SyncSeq? {
        guard let since else { return nil }
        let next = try transaction.commits(to: project, after: since, limit: 1).first?.seq
        return next == head.next ? nil : next
    }

    /// The ids of a lost project. Any client may hold rows that it made itself, also in a membership that began and
    /// ended after the watermark. Throws `since_expired` if that can't be told to a client that needs the ids.
    private mutating func addLeft(_ project: String, _ known: Known, in transaction: any ReadTransaction) throws {
        guard known.hasLoss else { return }
        try noteLeft(project, in: transaction)
        guard try isComplete(project, known, in: transaction) else {
            guard form.encoding == .json else { throw UserProjects.expired }
            return
        }
        let spans = mayLag ? known.stints : try spanAtWatermark(project, known, in: transaction)
        let loss = ProjectShare.Loss(spans: spans.filter { $0.until != .maximum }, since: known.head)
        shares.append(ProjectShare(project: project, kind: .left(loss)))
    }

    /// The heads of the project that the watermark may stand for; none if the user was no member then.
    private func spanAtWatermark(
        _ project: String, _ known: Known, in transaction: any ReadTransaction
    ) throws -> [Stint] {
        guard known.isMember else { return [] }
        let next = try nextCommit(to: project, after: known.head, in: transaction)
        return [Stint(project: project, from: known.head, until: max(next ?? .zero, known.head.next))]
    }

    private mutating func noteLeft(_ project: String, in transaction: any ReadTransaction) throws {
        let isDeleted = try transaction.project(project)?.isDeleted ?? true
        left.append(LeftProject(project: project, why: isDeleted ? .deleted : .revoked))
    }
}

/// Takes the rows that one user has made for those that the caller saw.
private struct MadeBy: RowSight {
    let user: Int64

    func saw(_ life: RowLife) -> Bool { life.insertedBy == user }
}

/// What a user-wide drain has of one project.
struct ProjectShare: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A drain from 0.
        case all
        /// The user became a member after the watermark, first with the commit `at`: all live rows. Also the ids of
        /// rows that left the user's sight since, because a client may have stored rows without a watermark.
        case joined(at: SyncSeq)
        /// The client's rows can't be brought up to date from the watermark: a drain from 0, which replaces them.
        case replaced
        /// What changed after this head of the project. Rows created up to `createdAfter` may be known to the client.
        case changed(since: SyncSeq, createdAfter: SyncSeq)
        /// What changed after this head, and all other live rows: the user was away in between, so a client that stored
        /// rows without a watermark may have dropped them.
        case returned(since: SyncSeq, createdAfter: SyncSeq)
        /// The user is no longer a member, or the filter does not have the project any more: the ids of the rows that
        /// the client may hold.
        case left(Loss)
    }

    /// What a client may hold of a project that it is to drop.
    struct Loss: Sendable, Hashable {
        /// When the client may have read the project, sorted: from a head until just before another one.
        let spans: [Stint]
        /// Rows that the user has inserted after this commit are on the device that did so.
        let since: SyncSeq
        /// Whether the user still is a member, and only the filter does not have the project. Then edits of its rows
        /// are sent all the same.
        var isOfFilter = false

        /// The last commit of the spans.
        var last: SyncSeq { spans.last.map { SyncSeq($0.until.rawValue - 1) } ?? since }
    }

    let project: String
    let kind: Kind

    /// Equal for shares that serve the same.
    var text: String {
        switch kind {
        case .all: "\(project) all"
        case .joined(let seq): "\(project) joined \(seq)"
        case .replaced: "\(project) replaced"
        case .changed(let since, let createdAfter): "\(project) \(since) \(createdAfter)"
        case .returned(let since, let createdAfter): "\(project) returned \(since) \(createdAfter)"
        case .left(let loss):
            "\(project) \(loss.isOfFilter ? "outside" : "left") \(loss.since)"
                + loss.spans.map { " \($0.from)-\($0.until)" }.joined()
        }
    }

    /// The pull of the project that serves this share; nil for a project that the client is to drop.
    func request(_ whole: PullForm) -> PullRequest? {
        let form = whole.ofProject
        switch kind {
        case .left: return nil
        case .all, .replaced: return PullRequest(project: project, since: .zero, form: form)
        case .joined(let seq):
            var request = PullRequest(project: project, since: SyncSeq(max(seq.rawValue - 1, 0)), form: form)
            // The client has no part of it yet.
            request.part = form.part?.alone
            request.servesAll = true
            request.createdAfter = .zero
            request.ownCreatedBefore = seq
            return request
        case .changed(let since, let createdAfter):
            var request = PullRequest(project: project, since: since, form: form)
            request.createdAfter = createdAfter
            return request
        case .returned(let since, let createdAfter):
            var request = PullRequest(project: project, since: since, form: form)
            request.servesAll = true
            request.createdAfter = createdAfter
            return request
        }
    }
}

/// A project whose rows the client has to drop.
struct LeftProject: Sendable, Hashable {
    enum Reason: String, CaseIterable {
        case revoked = "membership_revoked"
        case deleted = "project_deleted"
        /// The filter does not have it any more.
        case filtered
    }

    let project: String
    let why: Reason

    var json: JSON { ["project_id": .string(project), "code": .string(why.rawValue)] }
}
