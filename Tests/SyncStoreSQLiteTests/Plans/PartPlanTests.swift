import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// What a part of a project costs: each value or range is one range of an index, followers are found by what they refer
/// to, and nothing is sorted.
@Suite struct PartPlanTests {
    private typealias Source = SegmentScan.PartScan.Source
    private typealias Key = SegmentScan.PartScan.Key

    private let folder: TemporaryFolder
    private let registry: Registry
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        store = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
    }

    private func plan(
        _ name: String, _ filter: String, _ source: Source, role: SegmentScan.PartScan.Role = .present
    ) throws -> [String] {
        let collection = try #require(registry[name])
        let reader = PartReader(registry: registry, user: 7, parameter: "filter", allowsProjects: false)
        let part = SegmentScan.PartScan(
            part: try reader.part(filter), role: role, source: source, since: SyncSeq(3), user: 7)
        let rows = collection.ownerField.map { SegmentScan.Rows.own(field: $0, user: 7) } ?? .all
        var scan = SegmentScan(
            collection: collection, project: "p", rows: rows, position: .after(.zero), upper: SyncSeq(9),
            knownTombstones: .zero, rowLimit: 10, examineLimit: 10)
        scan.isLiveOnly = true
        scan.part = part
        let plan = try store.plan(of: PartQuery(scan, of: part, in: TableLayout(collection, registry), registry).sql)
        let isGood = plan.allSatisfy { $0.hasPrefix("SEARCH") || $0.hasPrefix("CORRELATED") || $0 == Self.ofOneRow }
        #expect(isGood, "\(plan)")
        return plan
    }

    private static let by = Key(term: 0)
    /// Of the rows that follow one row, which are few.
    private static let ofOneRow = "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"

    @Test func aValueIsARangeOfItsIndex() throws {
        let filters: [(String, String, String)] = [
            ("tasks", "assignee", #""@me""#), ("tasks", "assignee", "null"), ("tasks", "sprint", #"["s-1","s-2"]"#),
            ("tasks", "status", #""COMPLETE""#), ("tasks", "is_milestone", "true"),
            ("sprints", "state", #""ACTIVE""#), ("risks", "owner", #""@me""#), ("risks", "status", #""OPEN""#),
            ("task_suggested_assignees", "suggested_user", #""@me""#),
        ]
        for (name, field, value) in filters {
            let plan = try plan(name, #"{"\#(name)":[{"\#(field)":\#(value)}]}"#, .alternative(0, by: Self.by))
            let range = "(project_id=? AND \(field)=? AND (created_seq,id)>(?,?) AND created_seq<?)"
            #expect(plan == ["SEARCH r0 USING INDEX \(name)_by_\(field) \(range)"])
        }
    }

    /// A later page begins where the one before ended, and not at the range's begin.
    @Test func aRangeOfValuesIsARangeOfItsIndex() throws {
        let place = "(planned_start,created_seq,id)>(?,?,?)"
        for (range, end) in [
            (#"{"from":"2026-11-01","until":"2026-11-30"}"#, " AND planned_start<?"),
            (#"{"from":"2026-11-01"}"#, ""), (#"{"until":"2026-11-30"}"#, " AND planned_start<?"),
        ] {
            let filter = #"{"tasks":[{"planned_start":\#(range)}]}"#
            let index = "tasks_by_planned_start (project_id=? AND \(place)\(end))"
            #expect(try plan("tasks", filter, .alternative(0, by: Self.by)) == ["SEARCH r0 USING INDEX \(index)"])
        }
        let own = try plan(
            "time_entries", #"{"time_entries":[{"entry_date":{"from":"2026-11-30"}}]}"#, .alternative(0, by: Self.by))
        let entries = "(project_id=? AND user=? AND (entry_date,created_seq,id)>(?,?,?))"
        #expect(own == ["SEARCH r0 USING INDEX time_entries_by_entry_date \(entries)"])
    }

    @Test func anElementIsARangeOfTheListsIndex() throws {
        let plan = try plan("risks", #"{"risks":[{"task_ids":{"has":"t-1"}}]}"#, .alternative(0, by: Self.by))
        let list = "(collection=? AND field=? AND target=? AND row_id>?)"
        #expect(plan.first == "SEARCH l USING PRIMARY KEY \(list)", "\(plan)")
    }

    @Test func whatFollowsIsFoundByWhatItRefersTo() throws {
        let filter = #"{"tasks":[{"assignee":"@me"}]}"#
        for name in ["task_links", "dependencies", "time_entries", "task_suggested_assignees"] {
            let present = try plan(name, filter, .alternative(0, by: Self.by))
            #expect(present[0].hasPrefix("SEARCH r1 USING INDEX tasks_by_assignee (project_id=? AND assignee=?"))
            for role in [SegmentScan.PartScan.Role.coming, .leaving] {
                let itself = try plan(name, filter, .moved(level: 0), role: role)
                #expect(itself[0].hasPrefix("SEARCH r0 USING INDEX \(name)_moved (project_id=?"), "\(itself)")
                let followed = try plan(name, filter, .moved(level: 1), role: role)
                #expect(followed[0].hasPrefix("SEARCH r1 USING INDEX tasks_moved (project_id=?"), "\(followed)")
                #expect(followed[1].hasPrefix("SEARCH r0 USING INDEX \(name)_ref_"), "\(followed)")
            }
        }
        let active = #"{"sprints":[{"state":"ACTIVE"}]}"#
        let items = try plan("retro_action_items", active, .moved(level: 2), role: .leaving)
        #expect(items[0].hasPrefix("SEARCH r2 USING INDEX sprints_moved (project_id=?"), "\(items)")
    }

    /// What is asked before a scan: one look into an index, whatever the part is.
    @Test func newsAreFoundByOneEntryOfAnIndex() throws {
        for collection in registry.collections where collection.scope != .project {
            let rows = collection.ownerField.map { SegmentScan.Rows.own(field: $0, user: 7) } ?? .all
            for column in [SystemColumn.seq, .filterSeq] {
                let plan = try store.plan(of: PartQuery.anyRow(by: column, in: collection, rows))
                let owner = collection.ownerField.map { " AND \($0)=?" } ?? ""
                let range = "(project_id=?\(owner) AND \(column.name)>? AND \(column.name)<?)"
                #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH"), "\(plan)")
                #expect(plan[0].hasSuffix(range), "\(plan)")
            }
        }
    }

    /// Filters of one form share their statements, however many values they name.
    @Test func textsDifferByTheFormOfTheFilterAlone() throws {
        func text(_ values: Int) throws -> String {
            let list = (0..<values).map { "\"s-\($0)\"" }.joined(separator: ",")
            let reader = PartReader(registry: registry, user: 7, parameter: "filter", allowsProjects: false)
            let part = SegmentScan.PartScan(
                part: try reader.part(#"{"tasks":[{"sprint":[\#(list)]}]}"#), role: .leaving, source: .moved(level: 0),
                since: SyncSeq(3), user: 7)
            let tasks = registry.collection("tasks")
            var scan = SegmentScan(
                collection: tasks, project: "p", rows: .all, position: .after(.zero), upper: SyncSeq(9),
                knownTombstones: .zero)
            scan.part = part
            return PartQuery(scan, of: part, in: TableLayout(tasks, registry), registry).sql
        }
        let lengths: [ClosedRange<Int>] = [1...1, 2...2, 3...4, 5...8, 9...16, 17...32, 33...50]
        for length in lengths { #expect(try Set(length.map(text)).count == 1, "\(length)") }
        #expect(try Set(lengths.map { try text($0.lowerBound) }).count == lengths.count)
    }
}
