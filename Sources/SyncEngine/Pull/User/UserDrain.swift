import Crypto
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// A drain over all projects of a user: its parts in order, one for each project.
///
/// The parts are a function of the watermark, the pinned number and the user's stints, so every page finds the same
/// ones. If it does not, because a membership ended or a purge went past a part's start, the drain has to begin again.
struct UserDrain: Sendable {
    /// The number that page 1 pinned.
    let number: CommitNumber
    /// The newest number of the projects that are asked for.
    let newest: CommitNumber
    /// Sorted by project.
    private(set) var parts: [DrainPart] = []
    /// Projects that the client has to drop, sorted.
    private(set) var left: [LeftProject] = []
    private let since: CommitNumber?
    private let form: PullForm

    /// `pinned` is the number of an earlier page. Throws `since_ahead`, `since_expired`, `not_found`; `invalid_cursor`
    /// for a pinned number of another history.
    init(
        _ request: UserPullRequest, _ projects: UserProjects, pinned: CommitNumber?,
        in transaction: any ReadTransaction
    ) throws {
        let newest = try projects.newest(of: request.projects)
        if let pinned, pinned < projects.oldest || pinned > newest { throw UserDrain.begunBeforeRestore }
        (number, self.newest) = (pinned ?? newest, newest)
        since = try request.number()
        form = request.form
        try projects.requireKnown(since, upTo: newest)
        // A migration is about projects that have not changed, too.
        let candidates = projects.changed(after: form.migration == nil ? since : nil)
        for (project, entry) in candidates.sorted(by: { $0.key < $1.key }) {
            guard request.projects?.contains(project) ?? true else { continue }
            try add(project, entry, in: transaction)
        }
    }

    /// Identifies the parts.
    var fingerprint: String {
        var hash = SHA256()
        for part in parts { hash.update(data: Array((part.text + "\n").utf8)) }
        return hash.finalize().prefix(12).map { String($0, radix: 36) }.joined(separator: ".")
    }

    /// The project's head at the pinned number.
    func head(of project: String, in transaction: any ReadTransaction) throws -> SyncSeq {
        try transaction.head(of: project, at: number) ?? .zero
    }

    private static var begunBeforeRestore: Problem {
        Problem(.invalidCursor, "This cursor is from before a restore of the server. Restart from page 1.")
    }

    // MARK: Parts

    private mutating func add(
        _ project: String, _ entry: UserProjects.Entry, in transaction: any ReadTransaction
    ) throws {
        guard let since else {
            if try isMember(entry, project, in: transaction) { parts.append(DrainPart(project: project, kind: .all)) }
            return
        }
        guard entry.newest > since || form.migration?.concerns(project) ?? false else { return }
        let known = try transaction.head(of: project, at: since)
        let wasMember = known.map { head in entry.stints.contains { $0.covers(head) } } ?? false
        let isMember = try isMember(entry, project, in: transaction)
        switch (wasMember, isMember) {
        case (true, true): try addChanged(project, since: known!, in: transaction)
        case (true, false): try addLeft(project, known!, in: transaction)
        case (false, _):
            let hasSlept = try noteStintsSlept(entry, project, since: known ?? .zero, in: transaction)
            if isMember {
                parts.append(DrainPart(project: project, kind: .joined(at: entry.stints.last!.from)))
            } else if hasSlept {
                parts.append(DrainPart(project: project, kind: .left(from: nil, to: known ?? .zero)))
            }
        }
    }

    /// Whether the user was a member at the pinned number and still is. A membership
    /// that began later comes with the next drain.
    private func isMember(
        _ entry: UserProjects.Entry, _ project: String, in transaction: any ReadTransaction
    ) throws -> Bool {
        guard entry.isMember, let stint = entry.stints.last else { return false }
        return try entry.newest <= number || stint.from <= head(of: project, in: transaction)
    }

    private mutating func addChanged(
        _ project: String, since: SyncSeq, in transaction: any ReadTransaction
    ) throws {
        guard try since >= horizon(of: project, in: transaction) else {
            try requireReplaceable()
            return parts.append(DrainPart(project: project, kind: .replaced))
        }
        let isOld = try since == head(of: project, in: transaction)
        if isOld, !(form.migration?.concerns(project) ?? false) { return }
        let createdAfter =
            form.created == .none ? since : try nextCommit(to: project, after: since, in: transaction) ?? since
        parts.append(DrainPart(project: project, kind: .changed(since: since, createdAfter: createdAfter)))
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

    private mutating func addLeft(_ project: String, _ head: SyncSeq, in transaction: any ReadTransaction) throws {
        try noteLeft(project, in: transaction)
        guard try head >= horizon(of: project, in: transaction) else { return try requireReplaceable() }
        let next = try nextCommit(to: project, after: head, in: transaction)
        let last = next.map { SyncSeq($0.rawValue - 1) } ?? head
        parts.append(DrainPart(project: project, kind: .left(from: head, to: max(head, last))))
    }

    /// A client that stores page by page may hold rows of a membership that began and ended after its watermark. Any
    /// client may hold rows that it made itself. Returns whether there was such a membership.
    private mutating func noteStintsSlept(
        _ entry: UserProjects.Entry, _ project: String, since: SyncSeq, in transaction: any ReadTransaction
    ) throws -> Bool {
        guard entry.stints.contains(where: { $0.from > since && $0.until != .maximum }) else { return false }
        try noteLeft(project, in: transaction)
        return true
    }

    private mutating func noteLeft(_ project: String, in transaction: any ReadTransaction) throws {
        let isDeleted = try transaction.project(project)?.isDeleted ?? true
        left.append(LeftProject(project: project, isDeleted: isDeleted))
    }

    private func horizon(of project: String, in transaction: any ReadTransaction) throws -> SyncSeq {
        try transaction.project(project)?.horizon ?? .maximum
    }

    /// A client of `watermelondb` can't replace the rows of one project.
    private func requireReplaceable() throws {
        guard form.encoding == .watermelondb else { return }
        throw UserProjects.expired
    }
}
