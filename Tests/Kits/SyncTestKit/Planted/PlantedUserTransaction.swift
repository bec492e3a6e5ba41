import SyncProtocol
import SyncSchema
package import SyncStore

extension PlantedUserBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        isWrite ? transaction : PlantedUserTransaction(transaction, self)
    }
}

private final class PlantedUserTransaction: ForwardingTransaction {
    private let bug: PlantedUserBug

    init(_ base: any WriteTransaction, _ bug: PlantedUserBug) {
        self.bug = bug
        super.init(base)
    }

    override func stints(of user: Int64) throws -> [Stint] { merged(try base.stints(of: user)) }

    override func stints(of user: Int64, in project: String) throws -> [Stint] {
        merged(try base.stints(of: user, in: project))
    }

    private func merged(_ stints: [Stint]) -> [Stint] {
        guard bug == .numbersInPlaceOfStints else { return stints }
        return Dictionary(grouping: stints, by: \.project).map { project, stints in
            Stint(project: project, from: stints[0].from, until: stints[stints.count - 1].until)
        }.sorted { $0.project < $1.project }
    }

    override func project(_ id: String) throws -> ProjectState? {
        guard var project = try base.project(id), bug == .horizonEndsAtTheLastJoin else { return try base.project(id) }
        let last = try base.members(of: id, endingFrom: .zero).map(\.stint.from).max() ?? .zero
        project.horizon = min(project.horizon, SyncSeq(max(last.rawValue - 1, 0)))
        return project
    }

    override func head(of project: String, at number: CommitNumber) throws -> SyncSeq? {
        let head = try base.head(of: project, at: number)
        guard bug == .headNotTakenFromNumbers, head != nil else { return head }
        return try base.project(project)?.head
    }

    override func commits(
        to project: String, after number: CommitNumber, limit: Int
    ) throws -> [NumberedCommit] {
        bug == .thinnedHeadSplitsCreated ? [] : try base.commits(to: project, after: number, limit: limit)
    }

    override func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        switch (bug, scan.rows) {
        case (.lossPagedBySyncSeq, .held): return try pagedBySyncSeq(scan, into: &page)
        // This scan only looks.
        case (.ownRowsOutsideForgotten, .held) where scan.buckets.isEmpty: return SegmentScan.Outcome()
        default: break
        }
        guard bug == .newsForgottenInARoll, let part = scan.part, part.was != nil, part.role == .leaving else {
            return try base.scan(scan, into: &page)
        }
        return try base.scan(
            scan, into: &page,
            without: { $0.filterSeq == nil && $0.createdSeq > part.since && $0.insertedBy != part.user })
    }

    /// The place of a row that changes between two pages moves.
    private func pagedBySyncSeq(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        var outcome = SegmentScan.Outcome()
        let project = try base.project(scan.project)
        let rows = try base.records(in: scan.collection, project: scan.project).filter {
            ($0.seq, $0.id) > (scan.position.seq, scan.position.id) && $0.createdSeq <= scan.upper
        }.sorted { ($0.seq, $0.id) < ($1.seq, $1.id) }
        for row in rows where project != nil {
            guard outcome.hasRoom(in: scan, page) else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            outcome.last = KeysetPosition(seq: row.seq, id: row.id)
            if outcome.takes(.deleted, in: scan) { page.id(row.id, in: .deleted) }
        }
        return outcome
    }
}
