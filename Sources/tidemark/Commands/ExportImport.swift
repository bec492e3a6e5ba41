import Foundation
import SyncEngine
import SyncProtocol

/// Makes a project of an export, in one transaction.
struct ExportImport {
    let wiring: Wiring
    let owner: User
    let addsMembers: Bool
    /// Rows get new ids, so that an export can be imported beside the project that it was made of.
    let rekeys: Bool

    /// An export is JSON, a plan XML; nil for what is no export.
    static func text(of path: String) throws -> Data? {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandError("Can't read \(path). Check the path.")
        }
        return data.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "{") ? data : nil
    }

    /// Throws `Problem`; then nothing is stored.
    func run(_ text: Data, name: String?) async throws -> PlanImport.Outcome {
        guard let json = try? JSON(parsing: text) else { throw CommandError("The export is no valid JSON.") }
        var export = try ExportedProject(json, registry: wiring.registry)
        if let name { export.rename(to: name) }
        if rekeys { export.rekey(NewID.uuid.callAsFunction) }
        let restored = try await wiring.projects.restore(export, owner: owner, addsMembers: addsMembers)
        var notes = export.unknownFields.sorted { $0.key < $1.key }.map { field, count in
            "\(count) values of \(field), which the schema files have not"
        }
        if restored.clearedReferences > 0 {
            notes.append("\(restored.clearedReferences) references to users who are no members; see --add-members")
        }
        if !restored.newUsers.isEmpty {
            let names = restored.newUsers.map(\.rawValue).joined(separator: ", ")
            notes.append("credentials of \(names): made as disabled accounts; see tidemark user enable")
        }
        return PlanImport.Outcome(project: restored.project, counts: restored.counts, notImported: notes)
    }
}
