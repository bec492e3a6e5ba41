import Foundation
import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// Plans: a file is either refused with a `PlanError`, or read as a plan that can be created, the same each time. If it
/// is exported and read again, it has the same rows.
enum PlanPromises {
    private static let fallbackStart = CalendarDate(daysSinceEpoch: 20_000)

    static func check(_ input: [UInt8]) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("plan.xml")
        try Data(input).write(to: URL(filePath: file))
        let users = try await FuzzBench.users()
        guard let plan = try read(file, users) else { return }
        try promise(try read(file, users)?.rows == plan.rows, "the plan is read differently the second time")
        try await create(plan, on: try await FuzzBench.fresh())
        let written = PlanWriter(rows: plan.rows, users: known(users)).write()
        try Data(written.text.utf8).write(to: URL(filePath: file))
        let (before, after) = (RowShape(plan.rows), RowShape(try read(file, users)?.rows ?? [:]))
        let changes = before.missing(from: after).prefix(2) + after.missing(from: before).prefix(2)
        try promise(changes.isEmpty, "an export is read with other rows: \(Array(changes))")
    }

    private static func known(_ users: [User]) -> [PlanUser] {
        users.map { PlanUser(id: $0.id, username: $0.username.rawValue, displayName: $0.displayName) }
    }

    private static func read(_ file: String, _ users: [User]) throws -> ImportedPlan? {
        var count = 0
        let reader = PlanReader(users: known(users), fallbackStart: fallbackStart) {
            count += 1
            return "plan-\(count)"
        }
        return try accepted(or: PlanError.self) { try reader.read(contentsOf: file) }
    }

    private static func create(_ plan: ImportedPlan, on bench: FuzzBench) async throws {
        let workbench = bench.workbench
        let owner = workbench.caller(.owner).userID
        let content = ProjectContent(
            rows: plan.rows, owner: owner,
            members: Dictionary(uniqueKeysWithValues: plan.assignees.map { ($0, .member) }))
        do {
            let project = try await workbench.projects.create(content)
            let rows = try await bench.store.read { transaction in
                try bench.registry.collections.filter { plan.rows[$0.name] != nil }
                    .map { ($0.name, try transaction.records(in: $0, project: project.id).count) }
            }
            for (name, count) in rows {
                try promise(count == plan.rows[name]?.count, "\(count) rows of \(name) were created")
            }
        } catch let refusal as Problem {
            throw BrokenPromise(description: "a plan that was read can't be created: \(refusal)")
        }
    }
}
