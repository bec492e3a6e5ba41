import SyncProtocol
import SyncSchema
import SyncStore

extension ModelTransaction {
    /// The model is on no disk.
    func storage(countingUpTo most: Int) -> InstallationStorage {
        var storage = InstallationStorage()
        for counts in state.counts.values.flatMap(\.values) {
            storage.rows += counts.live
            storage.tombstones += counts.tombstones
        }
        storage.history = min(most, state.changes.values.reduce(0) { $0 + $1.count })
        (storage.answers, storage.inbox) = (min(most, state.answers.count), min(most, state.inbox.count))
        return storage
    }

    func storage(of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int) -> ProjectStorage {
        var storage = ProjectStorage()
        storage.counts = counts(project: project)
        storage.rejected = min(most, state.inbox.count { $0.project == project })
        storage.answers = min(most, state.answers.keys.count { $0.scope == project })
        storage.digests = min(most, state.digests[project]?.values.reduce(0) { $0 + $1.count } ?? 0)
        let commits =
            state.projects[project]?.commits.filter { commit in
                number.map { commit.number >= $0 } ?? false
            } ?? []
        storage.growth.commits = min(most, commits.count)
        guard let first = commits.first?.commit.seq else { return storage }
        for collection in registry.collections {
            let rows = state.rows.filter { $0.key.collection == collection.name && $0.value.project == project }.values
            storage.growth.rows += min(most, rows.count { !$0.isDeleted && $0.createdSeq >= first })
            storage.growth.tombstones += min(most, rows.count { $0.isDeleted && $0.seq >= first })
        }
        return storage
    }

    func firstNumber(from date: Instant) -> CommitNumber? {
        state.projects.values.flatMap(\.commits).filter { $0.commit.at >= date }.map(\.number).min()
    }
}
