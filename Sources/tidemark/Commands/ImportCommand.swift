import Foundation
import MSPDI
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore

/// Turns a plan into a project, whole or not at all.
struct PlanImport {
    /// The result of an import: the project's id, the number of rows by collection, and what was left out.
    struct Outcome {
        let project: String
        let counts: [String: Int]
        let notImported: [String]

        var json: JSON {
            [
                "project": .string(project), "counts": .object(counts.mapValues { .int(Int64($0)) }),
                "not_imported": .array(notImported.map(JSON.string)),
            ]
        }
    }

    let wiring: Wiring
    let owner: User
    /// Whether users who are named like a resource become members. Assignments to other users are left out.
    var addsMembers = false
    var pace = CreationPace()

    /// Throws a `PlanError` or a `Problem`. Then nothing is stored.
    func run(_ path: String, name: String? = nil, id: String? = nil) async throws -> Outcome {
        let users = try await wiring.services.accounts.planUsers()
        let reader = PlanReader(users: users, fallbackStart: today, newID: NewID.uuid.callAsFunction)
        var plan = try read(path, reader)
        if !addsMembers { plan = plan.assigned(onlyTo: [owner.id], among: users) }
        if let name { plan.setProject("name", name) }
        if let id { plan.setProject("id", id) }
        // Files from before there were ranks keep the order by WBS codes and creation.
        if wiring.registry["tasks"]?.field("rank") == nil { plan.dropRanks() }
        let content = ProjectContent(
            rows: plan.rows, owner: owner.id,
            members: Dictionary(uniqueKeysWithValues: plan.assignees.map { ($0, .member) }))
        try requirePlace(for: content)
        defer { bar.clear() }
        let project = try await wiring.services.projects.create(content, pace: pace) { show($0) }
        return Outcome(
            project: project.id, counts: plan.rows.mapValues(\.count), notImported: plan.notImported)
    }

    private func read(_ path: String, _ reader: PlanReader) throws -> ImportedPlan {
        defer { bar.clear() }
        return try reader.read(contentsOf: path) { bar.show($0 >> 10, of: $1 >> 10, "KiB read") }
    }

    private var bar: ProgressBar { ProgressBar() }

    private func show(_ progress: CreationProgress) {
        switch progress {
        case .judged(let rows, let total): bar.show(rows, of: total, "rows checked")
        case .stored(let rows, let total): bar.show(rows, of: total, "rows stored")
        }
    }

    /// Throws a `CommandError` if the schema files lack something that the plan
    /// needs. The rows of a plan belong together: links without tasks are useless.
    private func requirePlace(for content: ProjectContent) throws {
        let misfits = content.misfits(wiring.registry).sorted()
        guard !misfits.isEmpty else { return }
        throw CommandError(
            "Nothing was stored: the schema files have no place for \(misfits.joined(separator: ", ")). "
                + "Add them as in the built-in files, or import into a database without --schemas.")
    }

    private var today: CalendarDate {
        CalendarDate(daysSinceEpoch: Int(WallClock.system.now().milliseconds / 86_400_000))
    }
}

extension ImportedPlan {
    fileprivate mutating func setProject(_ field: String, _ value: String) {
        rows["projects"] = rows["projects"]?.map { $0.merging([field: .string(value)]) { _, new in new } }
    }

    fileprivate mutating func dropRanks() {
        rows["tasks"] = rows["tasks"]?.map { $0.filter { $0.key != "rank" } }
    }
}

extension PlanError: OperatorError {}
