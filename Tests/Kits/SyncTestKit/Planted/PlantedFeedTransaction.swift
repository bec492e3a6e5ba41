import SyncProtocol
package import SyncStore

/// `mergedPokeDropsOne` and `hiddenHeadEndsAPull` are made elsewhere: they are no mistakes of a store.
extension PlantedFeedBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        PlantedFeedTransaction(transaction, self)
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
        // It waits for the commit that ends each step, so that there is a group whatever the load.
        case .groupOutOfOrder: return last.commit.project == PlantedFeedBug.lobby ? [last] : []
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
