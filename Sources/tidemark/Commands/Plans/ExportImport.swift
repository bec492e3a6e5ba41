import Foundation
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

/// Turns an export into a project, in one transaction.
struct ExportImport {
    let wiring: Wiring
    let owner: User
    let addsMembers: Bool
    /// Whether rows get new ids. Then an export can be imported next to the project that it was made from.
    let rekeys: Bool

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
        let restored = try await wiring.services.projects.restore(export, owner: owner, addsMembers: addsMembers)
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
