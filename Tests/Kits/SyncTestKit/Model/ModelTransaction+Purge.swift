import SyncProtocol
import SyncSchema
import SyncStore

extension ModelTransaction {
    func projectIDs(after: String, limit: Int) -> [String] {
        Array(state.projects.keys.filter { $0 > after }.sorted().prefix(limit))
    }

    func lastCommit(of project: String, before date: Instant) -> SyncSeq? {
        state.projects[project]?.commits.prefix { $0.commit.at < date }.last?.commit.seq
    }

    func forgetCommits(of project: String, before date: Instant) {
        let horizon = SyncSeq(state.projects[project]?.horizon ?? 0)
        state.projects[project]?.commits.removeAll {
            $0.commit.seq < horizon && $0.commit.at < date && !$0.commit.changesSight
        }
    }

    func raiseHorizon(of project: String, to seq: SyncSeq) {
        state.projects[project]!.horizon = max(state.projects[project]!.horizon, seq.rawValue)
    }

    func forgetFormerOwners(of project: String) {
        let horizon = SyncSeq(state.projects[project]?.horizon ?? 0)
        for key in state.lost.keys where key.project == project {
            state.lost[key] = state.lost[key]!.filter { $0.value > horizon }
        }
        state.listed = state.listed.filter { place, span in
            span.gone == nil || span.seq > horizon || state.rows[place.row]?.project != project
        }
    }

    /// Purges everything in one step: rows without references to them first, until none is left.
    func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) -> PurgeStep {
        var step = PurgeStep()
        while let row = unreferenced(collection, project, upper) {
            state.rows[RowKey(collection.name, row.id)] = nil
            state.changes[RowKey(collection.name, row.id)] = nil
            state.listed = state.listed.filter { $0.key.row != RowKey(collection.name, row.id) }
            step.removed += 1
            step.largest = max(step.largest, row.seq)
        }
        return step
    }

    private func unreferenced(_ collection: Collection, _ project: String, _ upper: SyncSeq) -> StoredRow? {
        let dead = state.rows.filter { key, row in
            key.collection == collection.name && row.project == project && row.isDeleted && row.seq <= upper
        }
        guard !dead.isEmpty else { return nil }
        let targets = referenced(collection)
        return dead.values.first { !targets.contains($0.id) }
    }

    /// The ids that rows and tombstones refer to.
    private func referenced(_ collection: Collection) -> Set<String> {
        var ids: Set<String> = []
        for referrer in registry.referrers(of: collection.name) {
            let position = registry.collection(referrer.collection).position(of: referrer.field)
            for (key, row) in state.rows where key.collection == referrer.collection {
                let value = row.values[position]
                ids.formUnion((value.array ?? [value]).compactMap(\.string))
            }
        }
        return ids
    }
}
