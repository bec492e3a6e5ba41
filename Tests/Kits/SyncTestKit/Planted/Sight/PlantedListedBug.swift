import SyncProtocol
import SyncSchema
package import SyncStore

/// Mistakes that a server could make with lists of who sees a row.
package enum PlantedListedBug: String, Sendable, CaseIterable {
    /// One of the users who lose a row is not told.
    case handOverUntold = "hand-over-untold"
    /// Rows two references below don't follow a change of sight.
    case secondLevelForgotten = "second-level-forgotten"
    /// The end of a row is not told to those for whom it was listed.
    case endUntold = "end-untold"
    /// After a fall of the role the ids of listed rows come too.
    case listedNamedTwice = "listed-named-twice"
    /// The digest of a user counts rows that are not listed for the user any more.
    case digestCountsHidden = "digest-counts-hidden"
    /// Ids are told to users who were no members while the rows were listed for them.
    case toldToAll = "told-to-all"
    /// An edit is not delivered to those for whom its row is listed.
    case editUndelivered = "edit-undelivered"
}

extension PlantedListedBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        PlantedListedTransaction(transaction, self)
    }
}

private final class PlantedListedTransaction: ForwardingTransaction {
    private let bug: PlantedListedBug

    init(_ base: any WriteTransaction, _ bug: PlantedListedBug) {
        self.bug = bug
        super.init(base)
    }

    override func list(
        _ changes: [ListedChange], of collection: Collection, project: String, at seq: SyncSeq
    ) throws {
        let wrong = changes.compactMap { change -> ListedChange? in
            var change = change
            switch bug {
            case .handOverUntold: change.went = Array(change.went.dropLast())
            case .secondLevelForgotten where collection.visibility.parent != nil && !change.isDelivered:
                return collection.name == "photos" ? nil : change
            case .endUntold where change.count == 0: return nil
            case .editUndelivered: change.isDelivered = false
            default: break
            }
            return change
        }
        try base.list(wrong, of: collection, project: project, at: seq)
    }

    override func addDigest(
        project: String, collection: String, of audience: Audience, _ change: CollectionDigest
    ) throws {
        if bug == .digestCountsHidden, case .user = audience, change.count < 0 { return }
        try base.addDigest(project: project, collection: collection, of: audience, change)
    }

    override func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        switch (bug, scan.rows) {
        case (.toldToAll, .listed):
            var scan = scan
            scan.sight = nil
            return try base.scan(scan, into: &page)
        case (.listedNamedTwice, .beside(let user, .unlisted)):
            var all = SegmentScan(
                collection: scan.collection, project: scan.project, rows: .beside(user: user, .all),
                position: scan.position, upper: scan.upper, knownTombstones: .zero, rowLimit: scan.rowLimit,
                examineLimit: scan.examineLimit)
            all.sight = scan.sight
            all.delivery = scan.delivery
            return try base.scan(all, into: &page)
        default: return try base.scan(scan, into: &page)
        }
    }
}
