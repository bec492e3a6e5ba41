import GRDB
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

/// What a page costs: one range scan on the index with its order, whatever the size of the project.
@Suite struct QueryPlanTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        store = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
    }

    private func plan(_ sql: String) throws -> [String] { try store.plan(of: sql) }

    private func scan(_ collection: Collection, _ rows: SegmentScan.Rows) -> SegmentScan {
        SegmentScan(
            collection: collection, project: "p", rows: rows, position: .after(.zero), upper: SyncSeq(9),
            knownTombstones: .zero, rowLimit: 10, examineLimit: 10)
    }

    @Test func aUsersProjectsAreFoundByTheirAccess() throws {
        let sql = SQLiteTransaction.projectList(TableLayout(registry.projects, registry), isOneUsers: true)
        let plan = try plan(sql)
        #expect(plan.first == "SEARCH projects USING INDEX sqlite_autoindex_projects_1 (id=?)", "\(plan)")
        #expect(plan.contains("SEARCH a USING PRIMARY KEY (user_id=? AND project_id>?)"), "\(plan)")
        #expect(plan.last == "SEARCH p USING PRIMARY KEY (id=?)", "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    }

    @Test func digestsAreOneRangeOfTheirKey() throws {
        #expect(
            try plan(SQLiteTransaction.digestsOfAudience) == [
                "SEARCH tidemark_digests USING PRIMARY KEY (project_id=? AND audience=?)"
            ])
    }

    /// The growth of a project never reads what did not grow.
    @Test func growthIsCountedInRangesOfIndexes() throws {
        let plan = try plan(SQLiteTransaction.growth(registry.collections)).filter {
            $0.hasPrefix("SEARCH")
                || $0.hasPrefix("SCAN") && !$0.hasSuffix("counted")
                    && $0 != "SCAN CONSTANT ROW"
        }
        #expect(plan.count == registry.collections.count * 2, "\(plan)")
        for line in plan {
            #expect(line.hasPrefix("SEARCH") && (line.hasSuffix("_seq>?)")), "\(line)")
        }
    }

    @Test func everyPageQueryIsOneRangeScan() throws {
        for collection in registry.collections {
            var expected: [(SegmentScan.Rows, String)] = [
                (.all, "\(collection.name)_sync (project_id=? AND (sync_seq,id)>(?,?) AND sync_seq<?)")
            ]
            switch collection.visibility {
            case .everyone, .listed, .inheritedList: break
            case .own(let field):
                expected.append(
                    (
                        .own(field: field, user: 1),
                        "\(collection.name)_own (project_id=? AND \(field)=? AND (sync_seq,id)>(?,?) AND sync_seq<?)"
                    ))
            case .gate, .inherited:
                expected.append(
                    (.ungated, "\(collection.name)_ungated (project_id=? AND (sync_seq,id)>(?,?) AND sync_seq<?)"))
                expected.append(
                    (
                        .hidden,
                        "\(collection.name)_hidden (project_id=? AND (gate_seq,id)>(?,?) AND gate_seq<?)"
                    ))
            }
            for (rows, index) in expected {
                let sql = PageQuery.sql(scan(collection, rows), TableLayout(collection, registry))
                #expect(try plan(sql) == ["SEARCH \(collection.name) USING INDEX \(index)"])
            }
        }
    }

    @Test func whatAUserLostIsOneRangeOfItsIndex() throws {
        let collection = registry["time_entries"]!
        let sql = PageQuery.sql(scan(collection, .lost(user: 1)), TableLayout(collection, registry))
        #expect(
            try plan(sql) == [
                "SEARCH tidemark_former_owners USING COVERING INDEX tidemark_former_owners_sync "
                    + "(project_id=? AND collection=? AND user_id=? AND (sync_seq,row_id)>(?,?) AND sync_seq<?)"
            ])
    }

    /// The ids of a project that a user left: two ranges that are merged, without sorting.
    @Test func whatALeaverHeldIsTwoRangesOfIndexes() throws {
        for collection in registry.collections {
            var (rows, owner) = (SegmentScan.Rows.held, "")
            if case .own(let field) = collection.visibility {
                (rows, owner) = (.heldOwn(field: field, user: 1), "\(field)=? AND ")
            }
            let plan = try plan(PageQuery.sql(scan(collection, rows), TableLayout(collection, registry)))
            for index in ["created", "created_dead"] {
                let range = "(project_id=? AND \(owner)(created_seq,id)>(?,?) AND created_seq<?)"
                #expect(plan.contains("SEARCH \(collection.name) USING INDEX \(collection.name)_\(index) \(range)"))
            }
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plan)")
        }
    }

    /// A drain without tombstones does not read past them either.
    @Test func pagesWithoutTombstonesAreRangeScansOfLiveRows() throws {
        for collection in registry.collections {
            let range = "(sync_seq,id)>(?,?) AND sync_seq<?)"
            let live = "\(collection.name)_sync_live (project_id=? AND "
            let expected: [(SegmentScan.Rows, String)] =
                switch collection.visibility {
                case .everyone, .listed, .inheritedList: [(.all, live + range)]
                case .own(let field):
                    [
                        (
                            .own(field: field, user: 1),
                            "\(collection.name)_own (project_id=? AND \(field)=? AND " + range
                        )
                    ]
                case .gate, .inherited:
                    [
                        (.all, live + range),
                        (.ungated, "\(collection.name)_ungated_live (project_id=? AND is_gated=? AND " + range),
                    ]
                }
            for (rows, index) in expected {
                var scan = scan(collection, rows)
                scan.isLiveOnly = true
                let sql = PageQuery.sql(scan, TableLayout(collection, registry))
                #expect(try plan(sql) == ["SEARCH \(collection.name) USING INDEX \(index)"])
            }
        }
    }

    @Test func listsAreRangeScansInTheOrderOfCreation() throws {
        for collection in registry.collections {
            let rows: (SegmentScan.Rows, String) =
                switch collection.visibility {
                case .everyone, .listed, .inheritedList: (.all, "")
                case .own(let field): (.own(field: field, user: 1), "\(field)=? AND ")
                case .gate, .inherited: (.ungated, "")
                }
            let sql = SQLiteTransaction.list(TableLayout(collection, registry), rows.0)
            let index = "\(collection.name)_created (project_id=? AND \(rows.1)(created_seq,id)>(?,?))"
            #expect(try plan(sql) == ["SEARCH \(collection.name) USING INDEX \(index)"])
        }
    }

    /// There is no index on the fields, but rows of other projects are not read.
    @Test func aFilteredOrSortedListLooksAtItsOwnProjectAlone() throws {
        for collection in registry.collections where collection.scope != .project {
            for field in collection.listFields {
                for isSorted in [false, true] {
                    var query = ListQuery(collection)
                    try query.filter(field, by: field.value.sample)
                    if isSorted { query.sort(by: field, isDescending: true) }
                    let listing = Listing(query, scope: .rows(.all, project: "p"), after: nil, limit: 9)
                    let plan = try plan(ListSQL(listing, TableLayout(collection, registry)).sql)
                    #expect(plan[0].hasPrefix("SEARCH \(collection.name) USING"), "\(plan)")
                    #expect(plan[0].contains("project_id=?") || plan[0].contains("(\(field.name)=?"), "\(plan)")
                }
            }
        }
    }

    @Test(arguments: ValueChunks.sizes) func referrersAreFoundByTheirIndex(values: Int) throws {
        for collection in registry.collections {
            for field in collection.fields where field.reference.map({ !$0.isList }) ?? (field.user != nil) {
                let sql = TableLayout(collection, registry).selectReferrers(by: field, values: values)
                let plan = try plan(sql)
                #expect(plan.count == 1 && plan[0].contains("\(field.name)=?"), "\(plan)")
            }
        }
    }

    @Test(arguments: ValueChunks.sizes) func referrersByListAreFoundByTheIndexOfLists(values: Int) throws {
        let risks = try #require(registry["risks"])
        let field = try #require(risks.field("task_ids"))
        let plan = try plan(TableLayout(risks, registry).selectReferrers(by: field, values: values))
        #expect(plan.contains { $0.hasPrefix("SEARCH risks USING") && $0.hasSuffix("(id=?)") }, "\(plan)")
        #expect(plan.contains { $0.contains("PRIMARY KEY (collection=? AND field=? AND target=?)") }, "\(plan)")
    }

    /// The query that SQLite runs to check a deferred foreign key. With a scan here, an import takes quadratic time.
    @Test func childrenOfARowAreFoundByAnIndexWhateverTheirState() throws {
        for collection in registry.collections {
            for field in collection.fields where field.reference.map({ !$0.isList }) ?? false {
                let plan = try plan("SELECT 1 FROM \"\(collection.name)\" WHERE \"\(field.name)\" = ?1")
                #expect(plan.count == 1 && plan[0].contains("(\(field.name)=?)"), "\(plan)")
            }
        }
    }

    /// No query about accounts scans a table.
    @Test func accountsAreFoundByTheirIndexes() throws {
        let users = "SELECT id FROM tidemark_users"
        for (sql, indexes) in [
            (
                users + UserQuery(.sharing(with: 1)).condition + " ORDER BY id LIMIT ?2",
                ["tidemark_users USING INTEGER PRIMARY KEY", "mine USING PRIMARY KEY", "other USING INDEX"]
            ),
            (
                users + UserQuery(.members(of: "p")).condition + " ORDER BY id LIMIT ?2",
                [
                    "tidemark_users USING INTEGER PRIMARY KEY",
                    "USING INDEX tidemark_access_project (project_id=? AND user_id>?)",
                ]
            ),
            (
                "SELECT hash FROM tidemark_tokens WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
                ["tidemark_tokens_user (user_id=? AND id>?)"]
            ),
            ("DELETE FROM tidemark_sessions WHERE user_id = ?1", ["tidemark_sessions_user (user_id=?)"]),
            ("SELECT hash FROM tidemark_refresh_tokens WHERE expires_at < ?1", ["tidemark_refresh_tokens_expiry"]),
            ("SELECT id FROM tidemark_sessions WHERE expires_at < ?1", ["tidemark_sessions_expiry"]),
        ] {
            let plan = try plan(sql)
            for index in indexes { #expect(plan.contains { $0.contains(index) }, "\(plan)") }
            #expect(!plan.contains { $0.contains("SCAN tidemark") || $0.contains("SCAN mine") }, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }, "\(plan)")
        }
    }

    /// The work for a page of 1000 rows, counted in steps of SQLite's virtual machine.
    @Test func aPageCostsTheSameInALargeProject() throws {
        try fill("small", 1000)
        try fill("large", 200_000)
        let first = try steps("small", from: .after(.zero))
        #expect(first > 1000)
        #expect(try steps("large", from: .after(.zero)) == first)
        let deep = try steps("large", from: KeysetPosition(seq: SyncSeq(1), id: "large-250000"))
        #expect(abs(deep - first) * 5 <= first, "\(first) steps for the first page, \(deep) for a deep one")
    }

    private func fill(_ project: String, _ rows: Int) throws {
        try store.pool.write { db in
            try db.execute(sql: "INSERT INTO tidemark_projects (id, head) VALUES (?1, 1)", arguments: [project])
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 100000 UNION ALL SELECT i + 1 FROM n WHERE i < 99999 + ?2)
                    INSERT INTO sprints (id, server_version, is_deleted, sync_seq, created_seq, is_gated, gate_seq,
                      project_id, content_seq, name, short_id, goal, start_date, finish_date, state)
                    SELECT ?1 || '-' || i, 1, 0, 1, 1, 0, 1, ?1, 1, 'Sprint', 'X', '',
                      '2026-01-01', '2026-01-09', 'PLANNED'
                    FROM n
                    """, arguments: [project, rows])
        }
    }

    private func steps(_ project: String, from position: KeysetPosition) throws -> Int32 {
        let collection = try #require(registry["sprints"])
        let scan = SegmentScan(
            collection: collection, project: project, rows: .all, position: position, upper: SyncSeq(1),
            knownTombstones: .zero, rowLimit: 999, examineLimit: 2000)
        return try store.pool.read { db in
            let transaction = SQLiteTransaction(db, store: store, scope: .installation)
            var page = PageWriter(expectedRows: 1000)
            let statement = try db.cachedStatement(sql: PageQuery.sql(scan, TableLayout(collection, registry)))
            _ = VirtualMachine.steps(of: statement, reset: true)
            #expect(try transaction.scan(scan, into: &page).served == 999)
            return VirtualMachine.steps(of: statement, reset: true)
        }
    }
}

extension ValueSchema {
    /// A query text that serves as a value.
    fileprivate var sample: String {
        if let first = allowed?.first { return first.string ?? first.text }
        if isNullable { return "" }
        return switch (kind, format) {
        case (.boolean, _): "true"
        case (.integer, _), (.number, _): "3"
        case (_, .date): "2026-01-05"
        case (_, .dateTime): "2026-01-05T09:00:00Z"
        case (_, .time): "09:00:00"
        case (_, .timezone): "Europe/Berlin"
        default: pattern == nil ? "A" : "https://example.org/"
        }
    }
}
