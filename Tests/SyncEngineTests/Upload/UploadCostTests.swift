import Foundation
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What a batch costs while it holds the only writer: as much more as it has more of anything, and never the square.
@Suite struct UploadCostTests {
    /// What a batch can have many of.
    enum Shape: String, CaseIterable {
        /// Unknown fields in every row, and in one row.
        case unknownFields, unknownFieldsOfOneRow
        /// Rows with several wrong fields each.
        case wrongFields
        /// Edits of rows that are deleted.
        case deadRows
        /// New rows below each other, and the first one below a tombstone.
        case orphans
        /// Tasks of which each is below the next, in a circle.
        case circle
        /// Rows that want one unique key.
        case oneKey
        /// Rows of projects that the batch can't make.
        case projects
    }

    private typealias Bench = Workbench<MeteredStore<SQLiteStore>>

    private let folder: TemporaryFolder
    private let bench: Bench

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        bench = try await Workbench(MeteredStore(store), registry)
        try await bench.edit { editor in
            try editor.insert("sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("tasks", "dead", ["name": "D"])
            for number in 0..<Self.large { try editor.insert("tasks", "dead\(number)", ["name": "D"]) }
        }
        try await bench.edit { editor in
            try editor.delete("tasks", "dead")
            for number in 0..<Self.large { try editor.delete("tasks", "dead\(number)") }
        }
    }

    private static let small = 100
    private static let large = 4 * small

    /// Twice the batch costs about twice as much. Four times as much is compared, and anything below nine times is
    /// taken for it, so that the machine may be busy.
    @Test(arguments: Shape.allCases) func fourTimesTheWorkCostsNotSixteenTimesAsMuch(shape: Shape) async throws {
        // The first one prepares statements.
        _ = try await cost(shape, Self.small, "warm")
        let one = try await cost(shape, Self.small, "one")
        let four = try await cost(shape, Self.large, "four")
        #expect(four.calls <= 6 * one.calls + 20, "\(shape): \(one.calls) calls, then \(four.calls)")
        #expect(four.seconds <= 9 * max(one.seconds, 0.002), "\(shape): \(one.seconds) s, then \(four.seconds) s")
        #expect(four.lostEdits <= 1000, "\(shape)")
    }

    /// The same rows sent again and again with other values cost no more than the first time.
    @Test func whatAnInboxHoldsCostsTheNextUploadLittle() async throws {
        var costs: [Double] = []
        for turn in 0..<40 {
            let changes = Self.unknown(rows: 1, fields: 10_000, "v", value: turn + 1)
            _ = try await upload(["tasks": changes])
            costs.append(bench.store.last.seconds)
            #expect(bench.store.last.lostEdits == 65)
        }
        let (first, last) = (costs[1..<5].min()!, costs[36..<40].min()!)
        #expect(last < 6 * max(first, 0.002), "\(first) s, then \(last) s")
    }

    private func cost(_ shape: Shape, _ count: Int, _ prefix: String) async throws -> MeteredStore<SQLiteStore>.Cost {
        let changes = self.changes(shape, count, prefix)
        _ = try await upload(changes, isUserWide: shape == .projects)
        return bench.store.last
    }

    private func upload(_ changes: JSON, isUserWide: Bool = false) async throws -> JSON {
        let body: JSON = [
            "client_batch_id": .string(UUID().uuidString), "on_error": "reject_rows", "changes": changes,
        ]
        let request = try UploadRequest(
            project: isUserWide ? "" : bench.project, body: body, registry: bench.registry, maximumRows: 500)
        let caller = bench.caller(.member)
        let answer =
            isUserWide
            ? try await bench.uploads.uploadAll(request, by: caller)
            : try await bench.uploads.upload(request, by: caller)
        return try JSON(parsing: answer.body)
    }

    private func changes(_ shape: Shape, _ count: Int, _ prefix: String) -> JSON {
        func rows(_ row: (Int) -> [String: JSON]) -> JSON {
            let list = (0..<count).map { number in
                JSON.object(row(number).merging(["id": .string("\(prefix)\(number)")]) { old, _ in old })
            }
            return ["created": .array(list)]
        }
        switch shape {
        case .unknownFields: return ["tasks": Self.unknown(rows: count, fields: 100, prefix)]
        case .unknownFieldsOfOneRow: return ["tasks": Self.unknown(rows: 1, fields: 100 * count, prefix)]
        case .wrongFields:
            let wrong = ["name", "status", "duration", "notes", "planned_start", "wbs_path", "is_milestone", "parent"]
            return ["tasks": rows { _ in Dictionary(uniqueKeysWithValues: wrong.map { ($0, JSON.array([])) }) }]
        case .deadRows: return ["tasks": rows { ["id": .string("dead\($0)"), "name": "Late"] }]
        case .orphans:
            return [
                "tasks": rows { ["name": "O", "parent": .string($0 == 0 ? "dead" : "\(prefix)\($0 - 1)")] }
            ]
        case .circle:
            return ["tasks": rows { ["name": "C", "parent": .string("\(prefix)\(($0 + 1) % count)")] }]
        case .oneKey: return ["sprint_retros": rows { _ in ["sprint": "s"] }]
        case .projects:
            return ["tasks": rows { ["name": "P", "project_id": .string("\(prefix)-p\($0)")] }]
        }
    }

    private static func unknown(rows: Int, fields: Int, _ prefix: String, value: Int = 1) -> JSON {
        let list = (0..<rows).map { number in
            var row: [String: JSON] = ["id": .string("\(prefix)\(number)"), "name": "N"]
            for field in 0..<fields { row["f\(field)"] = .int(Int64(value)) }
            return JSON.object(row)
        }
        return ["created": .array(list)]
    }
}
