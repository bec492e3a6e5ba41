package import SyncProtocol

extension SegmentScan {
    /// The lists of a collection on the wire.
    package struct Buckets: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let updated = Buckets(rawValue: 1)
        package static let created = Buckets(rawValue: 2)
        package static let deleted = Buckets(rawValue: 4)
        package static let all: Buckets = [.updated, .created, .deleted]
    }

    /// How a scan serves a row.
    package enum Form: Sendable { case live, tombstone, nothing }

    /// Decides how to serve a row that the scan meets. `seq` is the row's `sync_seq`, also when the scan is sorted by
    /// `gate_seq`. `life` is called only if the answer depends on it.
    package func form(isDeleted: Bool, seq: SyncSeq, life: () -> RowLife) -> Form {
        guard isDeleted || rows.servesIDsOnly else { return .live }
        guard seq > knownTombstones || rows.servesIDsOnly else { return .nothing }
        return sight?.saw(life()) ?? true ? .tombstone : .nothing
    }
}
