import Foundation
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

/// Makes a project of an export, in one transaction.
struct ExportImport {
    let wiring: Wiring
    let owner: User
    let addsMembers: Bool
    /// Rows get new ids, so that an export can be imported beside the project that it was made of.
    let rekeys: Bool

    /// An export is JSON, a plan XML; nil for what is no export.
    static func text(of path: String) throws -> Data? {
        let data = try InputFile.read(path, "plan")
        return data.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "{") ? data : nil
    }

    /// Throws `Problem`; then nothing is stored.
    func run(_ text: Data, name: String?) async throws -> PlanImport.Outcome {
        var export = try ExportedProject(try json(of: text), registry: wiring.registry)
        if let name { export.rename(to: name) }
        if rekeys { export.rekey(NewID.uuid.callAsFunction) }
        let restored = try await wiring.services.projects.restore(export, owner: owner, addsMembers: addsMembers)
        var notes = export.unknownFields.sorted { $0.key < $1.key }.map { field, count in
            "\(counted(count, "value")) of \(field), which the schema files have not"
        }
        if restored.clearedReferences > 0 {
            notes.append(
                "\(counted(restored.clearedReferences, "reference")) to users who are no members; see --add-members")
        }
        if !restored.newUsers.isEmpty {
            let names = restored.newUsers.map(\.rawValue).joined(separator: ", ")
            notes.append("credentials of \(names): made as disabled accounts; see tidemark user enable")
        }
        return PlanImport.Outcome(project: restored.project, counts: restored.counts, notImported: notes)
    }

    private func json(of text: Data) throws -> JSON {
        do {
            return try JSON(parsing: text)
        } catch {
            throw CommandError("The export is no valid JSON: \(error). The file may be cut off; export it again.")
        }
    }
}
