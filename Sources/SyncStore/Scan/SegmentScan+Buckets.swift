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

    /// How a row that the scan meets is to be served.
    package enum Form: Sendable { case live, tombstone, nothing }

    /// The one rule for both orders; `seq` and `life` are the row's.
    package func form(isDeleted: Bool, seq: SyncSeq, life: () -> RowLife) -> Form {
        guard isDeleted || rows == .hidden else { return .live }
        guard seq > knownTombstones || rows == .hidden else { return .nothing }
        return sight?.saw(life()) ?? true ? .tombstone : .nothing
    }
}
