import ArgumentParser
import Foundation
import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStores

struct ImportCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create a project from a Microsoft Project plan (MSPDI XML) or from a Tidemark export.",
        discussion: """
            The whole project is stored in one commit, or nothing is. What can't be imported is listed.
            Examples: tidemark import plan.xml --owner alice --add-members --database plans.db
                      tidemark import plan.json --files plan-files --owner alice --database plans.db
            """)

    @Argument(help: "A plan that Microsoft Project saved as XML, or the output of `tidemark export`.") var file: String
    @Option(help: "The name of the user who will own the new project.") var owner: String
    @Option(help: "The new project's name. (default: the plan's)") var name: String?
    @Option(name: .customLong("project"), help: "The new project's id; only for a plan. (default: a random one)")
    var id: String?
    @Flag(
        help: ArgumentHelp(
            "Add members: users who are named like a resource of a plan, or the members of an export.",
            discussion: "Without it, only the owner is a member, and assignments to other users are left out."))
    var addMembers = false
    @Flag(help: "Give the rows of an export new ids, for example if the project is here already.") var newIds = false
    @Option(
        help: ArgumentHelp(
            "The folder of files that `tidemark export --files` has made. Rows whose files it lacks become pending.",
            valueName: "dir"))
    var files: String?
    @OptionGroup var store: StoreOption
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        if let id, !RowID.isValid(id) { throw ValidationError("\(id) is not a valid id.") }
    }

    func run() async throws {
        let outcome = try await database.with(Self.self, files: store.settings) { wiring in
            try await self.outcome(wiring, try await wiring.services.accounts.user(named: owner))
        }
        if json { return try Terminal.result(json: outcome.json) }
        try Terminal.result(outcome.project)
        let counts = outcome.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        Terminal.message("Imported \(counts.joined(separator: ", ")).")
        if !outcome.notImported.isEmpty { Terminal.message("Not imported:") }
        for line in outcome.notImported { Terminal.message("  " + line.plain) }
    }

    private func outcome(_ wiring: Wiring, _ owner: User) async throws -> PlanImport.Outcome {
        guard let export = try ExportImport.text(of: file) else {
            guard files == nil else { throw CommandError("\(file) is a plan, and names no files. Leave out --files.") }
            let importing = PlanImport(wiring: wiring, owner: owner, addsMembers: addMembers)
            return try await importing.run(file, name: name, id: id)
        }
        guard id == nil else {
            throw CommandError(
                "\(file) is an export, and its rows keep their ids. Leave out --project; --new-ids gives them new ids.")
        }
        let importing = ExportImport(
            wiring: wiring, owner: owner, addsMembers: addMembers, rekeys: newIds, files: files)
        return try await importing.run(export, name: name)
    }
}

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

/// Turns an export into a project, in one transaction.
struct ExportImport {
    let wiring: Wiring
    let owner: User
    let addsMembers: Bool
    /// Whether rows get new ids. Then an export can be imported next to the project that it was made from.
    let rekeys: Bool
    /// The folder of the files; nil to leave them out.
    let files: String?

    /// The content of an export; nil if the file is not an export. An export is JSON, a plan is XML.
    static func text(of path: String) throws -> Data? {
        let data = try InputFile.read(path, "plan")
        return data.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "{") ? data : nil
    }

    /// Throws a `Problem` if the export can't be imported. Then nothing is stored.
    func run(_ text: Data, name: String?) async throws -> PlanImport.Outcome {
        var export = try ExportedProject(try json(of: text), registry: wiring.registry)
        if let name { export.rename(to: name) }
        if rekeys { export.rekey(NewID.uuid.callAsFunction) }
        let kept = try await FileImport(wiring: wiring).keep(export, from: files)
        let restored: ProjectService<EngineStore>.Restored
        do {
            restored = try await wiring.services.projects.restore(
                export, owner: owner, addsMembers: addsMembers, files: kept)
        } catch {
            await wiring.services.files.drop(kept)
            throw error
        }
        var notes = export.unknownFields.sorted { $0.key < $1.key }.map { field, count in
            "\(counted(count, "value")) of \(field), which is not in the schema files"
        }
        if !export.missingCollections.isEmpty {
            notes.append("\(export.missingCollections.joined(separator: ", ")), of which the export has no list")
        }
        if restored.clearedReferences > 0 {
            notes.append(
                "\(counted(restored.clearedReferences, "reference")) to users who are not members; see --add-members")
        }
        if !restored.newUsers.isEmpty {
            let names = restored.newUsers.map(\.rawValue).joined(separator: ", ")
            notes.append("credentials of \(names), who were added as disabled accounts; see tidemark user enable")
        }
        let missing = export.digests.count - kept.count
        if missing > 0 { notes.append("the bytes of \(counted(missing, "file")), whose rows are pending; see --files") }
        return PlanImport.Outcome(project: restored.project, counts: restored.counts, notImported: notes)
    }

    private func json(of text: Data) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw CommandError("The export is not valid JSON: \(error). The file may be cut off; export it again.")
        }
    }
}
