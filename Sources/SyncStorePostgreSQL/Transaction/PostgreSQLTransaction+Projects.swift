import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// A project's counters. In a write they are read once, with the lock, and written once, at the end of the group.
extension PostgreSQLTransaction {
    func project(_ id: String) throws -> ProjectState? {
        try touch(id)
        if let locked = session.pending.projects[id] { return locked.state }
        let result = try session.ask(ProjectState.question, [.string(id)])
        guard let state = result.first.map({ ProjectState($0, of: id) }) else { return nil }
        if !state.isDeleted { session.history?.given.note(id, state.head) }
        return state
    }

    func newestNumber() throws -> CommitNumber {
        let newest = try session.ask(SQLStatements.newestNumber).first.map { CommitNumber($0.integer(0)) } ?? .first
        session.history?.given.note(newest)
        return newest
    }

    func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq {
        try touch(project.id)
        guard var state = session.pending.projects[project.id]?.state, state.head == project.head else {
            throw StaleProject()
        }
        state.head = SyncSeq(state.head.rawValue + 1)
        state.lastShortID += count
        session.pending.projects[project.id]?.state = state
        session.pending.isChanged = true
        return state.head
    }

    func createProject(_ id: String) throws {
        try touch(id)
        try write([[.string(id)]], SQLStatements.createProject)
        session.pending.projects[id] = nil
        try touch(id)
    }

    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try touch(project)
        try write(
            [[.string(project), .bool(isArchived), .bool(isDeleted)]],
            "UPDATE tidemark_projects SET is_archived = ?2, is_deleted = ?3 WHERE id = ?1")
        session.pending.projects[project]?.state?.isArchived = isArchived
        session.pending.projects[project]?.state?.isDeleted = isDeleted
    }

    func raiseHorizon(of project: String, to seq: SyncSeq) throws {
        try touch(project)
        try write(
            [[.string(project), .int(seq.rawValue)]],
            "UPDATE tidemark_projects SET horizon = GREATEST(horizon, ?2) WHERE id = ?1")
        if let horizon = session.pending.projects[project]?.state?.horizon {
            session.pending.projects[project]?.state?.horizon = max(horizon, seq)
        }
    }

    func number(_ commit: NumberedCommit) throws {
        try touch(commit.project)
        session.pending.note(commit)
        session.pending.isChanged = true
    }

    // MARK: Counters

    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        try touch(project)
        let key = PendingWrites.CountKey(project: project, collection: collection)
        var sum = session.pending.counts[key] ?? RowCounts(live: 0, tombstones: 0)
        sum.live += change.live
        sum.tombstones += change.tombstones
        session.pending.counts[key] = sum
        session.pending.isChanged = true
    }

    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws {
        try touch(project)
        let key = PendingWrites.DigestKey(project: project, collection: collection, audience: audience)
        session.pending.digests[key, default: .empty] += change
        session.pending.isChanged = true
    }

    func dropDigests(project: String) throws {
        try touch(project)
        try session.pending.sendCounters(of: project, session)
        try write([[.string(project)]], "DELETE FROM tidemark_digests WHERE project_id = ?1")
    }
}
