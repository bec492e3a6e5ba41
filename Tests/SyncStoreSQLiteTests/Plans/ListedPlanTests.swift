import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// What a page of listed rows costs: one range of the user's entries, whatever else the project holds.
@Suite struct ListedPlanTests {
    private let collection: Collection
    private let registry: Registry
    private let store: SQLiteStore
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        registry = try Documents.registry { documents in
            documents.add("notes", ["who": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]]])
            documents["notes", keyword: "x-visibility"] = ["listed": ["who"], "role": "ADMIN"]
        }
        collection = registry["notes"]!
        store = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
    }

    private func plan(_ rows: SegmentScan.Rows) throws -> [String] {
        let scan = SegmentScan(
            collection: collection, project: "p", rows: rows, position: .after(.zero), upper: SyncSeq(9),
            knownTombstones: .zero)
        return try store.plan(of: PageQuery.sql(scan, TableLayout(collection, registry)))
    }

    @Test func listedRowsAreOneRangeOfTheUsersEntries() throws {
        let range = "(project_id=? AND collection=? AND user_id=? AND (sync_seq,row_id)>(?,?) AND sync_seq<?)"
        let plan = try plan(.listed(user: 1))
        #expect(plan.first == "SEARCH s USING INDEX tidemark_listed_sync \(range)", "\(plan)")
        #expect(plan.count == 2 && plan.last?.hasPrefix("SEARCH t USING INDEX") == true, "\(plan)")
    }

    @Test(arguments: [SegmentScan.Rows.Beside.all, .dead, .unlisted])
    func rowsBesideThemAreRangesByCreation(which: SegmentScan.Rows.Beside) throws {
        let plan = try plan(.beside(user: 1, which))
        for index in which == .dead ? ["created_dead"] : ["created", "created_dead"] {
            let range = "(project_id=? AND (created_seq,id)>(?,?) AND created_seq<?)"
            #expect(plan.contains("SEARCH t USING INDEX notes_\(index) \(range)"), "\(plan)")
        }
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plan)")
    }
}
