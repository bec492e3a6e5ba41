import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Scans of parts, in all stores.
@Suite struct PartScanTests {
    /// After a restore, numbers need more than four bytes, also where a part has no row that decides.
    @Test(arguments: StoreKind.allCases) func numbersOfARestoredDatabaseFit(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        let tasks = registry.collection("tasks")
        let term = Part.Term(position: tasks.position(named: "is_milestone"), condition: .isOne(of: [true]))
        let milestones = Part(["tasks": [[term]]])
        try await kind.withStore(registry) { store in
            for (part, was) in [(milestones, Part.whole), (Part.whole, milestones)] {
                for role in [SegmentScan.PartScan.Role.coming, .leaving] {
                    var scan = SegmentScan(
                        collection: tasks, project: "p", rows: .all, position: .after(.zero),
                        upper: SyncSeq(1 << 41), knownTombstones: .zero)
                    scan.part = SegmentScan.PartScan(
                        part: part, was: was, role: role, source: .created, since: SyncSeq(1 << 40), user: 1)
                    scan.part?.until = SyncSeq(1 << 41)
                    let outcome = try await store.read { [scan] transaction in
                        var page = PageWriter(expectedRows: 0)
                        return try transaction.scan(scan, into: &page)
                    }
                    #expect(outcome == SegmentScan.Outcome())
                }
            }
        }
    }
}
