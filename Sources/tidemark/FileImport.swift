import Foundation
import NIOCore
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SystemPackage
import _NIOFileSystem

/// Takes the files of an export into the file store.
struct FileImport {
    let wiring: Wiring

    /// Keeps those that the export's rows name and the folder has. Throws a `CommandError` for a file that is not what
    /// its name says. Then nothing is kept.
    func keep(_ export: ExportedProject, from folder: String?) async throws -> [StoredFile] {
        guard let folder else { return [] }
        guard try await FileSystem.shared.info(forFileAt: FilePath(folder))?.type == .directory else {
            throw CommandError("There is no folder \(folder).")
        }
        var kept: [StoredFile] = []
        do {
            for digest in export.digests.sorted() {
                let path = FilePath(folder).appending(digest)
                guard try await FileSystem.shared.info(forFileAt: path) != nil else { continue }
                kept.append(try await keep(digest, at: path, for: export.projectID))
            }
        } catch {
            await wiring.services.files.drop(kept)
            throw error
        }
        return kept
    }

    private func keep(_ digest: String, at path: FilePath, for project: String) async throws -> StoredFile {
        do {
            return try await FileSystem.shared.withFileHandle(forReadingAt: path) { handle in
                try await wiring.services.files.keep(digest, handle.readChunks(), for: project)
            }
        } catch let problem as Problem where problem.code == .digestMismatch {
            throw CommandError("\(path) is not the file that its name says: its SHA-256 is another one.")
        } catch is FileSystemError {
            throw CommandError("Can't read \(path).")
        }
    }
}
