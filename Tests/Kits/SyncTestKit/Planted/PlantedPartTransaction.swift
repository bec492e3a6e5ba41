import SyncProtocol
import SyncSchema
package import SyncStore

extension PlantedPartBug: StoreBug {
    package func planted(in transaction: any WriteTransaction, isWrite: Bool) -> any WriteTransaction {
        PlantedPartTransaction(transaction, self)
    }
}

private final class PlantedPartTransaction: ForwardingTransaction {
    private let bug: PlantedPartBug

    init(_ base: any WriteTransaction, _ bug: PlantedPartBug) {
        self.bug = bug
        super.init(base)
    }

    // MARK: Reads

    override func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        guard let part = scan.part else { return try base.scan(scan, into: &page) }
        if isForgotten(part) { return SegmentScan.Outcome() }
        if bug == .editedAfterThePin, part.role == .leaving {
            return try base.scan(scan, into: &page, without: { $0.seq > part.until })
        }
        var planted = scan
        switch bug {
        case .hiddenRowTold where part.role == .leaving: planted = scan.ungated
        case .leaversFirst where part.role != .present:
            planted.part?.role = part.role == .coming ? .leaving : .coming
        case .tombstonesNarrowed where part.role == .present: planted.isLiveOnly = true
        case .idByTwoAlternatives: planted.part = part.withoutEarlierAlternatives
        default: break
        }
        return try base.scan(planted, into: &page)
    }

    private func isForgotten(_ part: SegmentScan.PartScan) -> Bool {
        let level = if case .moved(let level) = part.source { level } else { 0 }
        return switch bug {
        case .leaverForgotten: part.role == .leaving && level == 0 && part.source != .ownBirths
        case .followerDoesNotCome: part.role == .coming && level > 0
        case .followerDoesNotLeave: part.role == .leaving && level > 0
        case .secondLevelForgotten: level > 1
        case .ownRowsForgotten: part.source == .ownBirths
        case .rollForgotten: part.was != nil && part.role != .present
        case .rollWithoutLeavers: part.was != nil && part.role == .leaving
        case .moveForgottenInARoll: part.was != nil && part.role == .coming && part.source.isOfNews
        case .upperSideForgotten: part.isUpperSide
        default: false
        }
    }

    // MARK: Writes

    override func update(_ records: [StoredRow], in collection: Collection) throws {
        try base.update(try records.map { try planted($0, collection) }, in: collection)
    }

    override func restamp(_ records: [StoredRow], in collection: Collection) throws {
        guard bug == .restampNotNoted else { return try base.restamp(records, in: collection) }
        try base.restamp(try records.map { try unmoved($0, collection) }, in: collection)
    }

    private func planted(_ row: StoredRow, _ collection: Collection) throws -> StoredRow {
        guard let stored = try base.record(RowKey(collection.name, row.id)) else { return row }
        func changes(_ field: String?) -> Bool {
            field.flatMap(collection.position).map { stored.values[$0] != row.values[$0] } ?? false
        }
        func clears(_ field: String) -> Bool {
            changes(field) && collection.position(field).map { row.values[$0].isNull } ?? false
        }
        let isForgotten =
            switch bug {
            case .clearNotNoted: clears("sprint")
            case .listNotNoted: changes("task_ids")
            case .newParentNotNoted: changes(collection.follows)
            default: false
            }
        return isForgotten ? try unmoved(row, collection) : row
    }

    private func unmoved(_ row: StoredRow, _ collection: Collection) throws -> StoredRow {
        var row = row
        row.filterSeq = try base.record(RowKey(collection.name, row.id))?.filterSeq
        return row
    }
}

extension SegmentScan.PartScan {
    /// Whether the scan has what is above a range that is left out.
    fileprivate var isUpperSide: Bool {
        switch source {
        case .alternative(_, let key), .formerAlternative(_, let key): key.isDifference && key.range == 1
        case .numbered, .moved, .created, .ownBirths: false
        }
    }

    /// Of a scan by an alternative, the same with no alternative before it.
    fileprivate var withoutEarlierAlternatives: SegmentScan.PartScan {
        guard case .alternative(let index, let key) = source else { return self }
        let alternatives = part.alternatives.mapValues { $0.count > index ? Array($0[index...]) : $0 }
        var other = SegmentScan.PartScan(
            part: Part(alternatives, projects: part.projects), was: was, role: role,
            source: .alternative(0, by: key), since: since, user: user)
        other.until = until
        return other
    }
}

extension SegmentScan {
    /// The same scan without the gate.
    fileprivate var ungated: SegmentScan {
        var scan = SegmentScan(
            collection: collection, project: project, rows: rows == .ungated ? .all : rows, position: position,
            upper: upper, knownTombstones: knownTombstones, rowLimit: rowLimit, examineLimit: examineLimit)
        (scan.isLiveOnly, scan.oldRows, scan.delivery, scan.part) = (isLiveOnly, oldRows, delivery, part)
        (scan.buckets, scan.byteLimit) = (buckets, byteLimit)
        return scan
    }
}
