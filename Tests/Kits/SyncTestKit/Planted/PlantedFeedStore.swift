import SyncProtocol
package import SyncStore

/// A store with a mistake in what it tells of commits, or with none. `mergedPokeDropsOne` and `hiddenHeadEndsAPull` are
/// made elsewhere: they are no mistakes of a store.
package struct PlantedFeedStore<Base: SyncStore>: ReadPlantingStore {
    package let base: Base
    private let bug: PlantedFeedBug?

    package init(base: Base, bug: PlantedFeedBug?) { (self.base, self.bug) = (base, bug) }

    package func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        guard let bug else { return try await base.write(scope, needing: needs, body) }
        return try await base.write(scope, needing: needs) { try body(PlantedFeedTransaction($0, bug)) }
    }

    package func planted(_ transaction: any ReadTransaction) -> any ReadTransaction {
        guard let bug, let transaction = transaction as? any WriteTransaction else { return transaction }
        return PlantedFeedTransaction(transaction, bug)
    }
}

private final class PlantedFeedTransaction: ForwardingTransaction {
    private let bug: PlantedFeedBug

    init(_ base: any WriteTransaction, _ bug: PlantedFeedBug) {
        self.bug = bug
        super.init(base)
    }

    /// The feed begins behind the next commit.
    override func newestNumber() throws -> CommitNumber {
        let newest = try base.newestNumber()
        return bug == .looksBeforeItListens ? CommitNumber(newest.rawValue + 1) : newest
    }

    override func numberedCommits(
        after number: CommitNumber, limit: Int
    ) throws -> [(number: CommitNumber, commit: NumberedCommit)] {
        let commits = try base.numberedCommits(after: number, limit: limit)
        guard let last = commits.last else { return commits }
        switch bug {
        case .groupOutOfOrder: return [last]
        case .pokesBeforeTheCommit:
            let next = NumberedCommit(
                project: last.commit.project, seq: last.commit.seq.next, at: last.commit.at,
                audiences: last.commit.audiences, changesSight: false)
            return commits + [(last.number, next)]
        default: return commits
        }
    }

    override func number(_ commit: NumberedCommit) throws {
        guard bug == .audienceOfTheRowAfterOnly, commit.audiences.count > 1 else { return try base.number(commit) }
        try base.number(
            NumberedCommit(
                project: commit.project, seq: commit.seq, at: commit.at,
                audiences: commit.audiences.subtracting([.everyone]), changesSight: commit.changesSight))
    }
}
