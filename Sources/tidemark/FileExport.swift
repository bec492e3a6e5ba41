import Foundation
import NIOCore
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SystemPackage
import _NIOFileSystem

/// Writes the files of a project into a folder, each under its digest.
struct FileExport {
    let wiring: Wiring

    /// Files that are there with their size stay. Throws a `CommandError` if one can't be written, or if bytes are
    /// missing; then all others were written.
    func run(_ project: String, to folder: String) async throws {
        let files = try await wiring.services.exports.files(of: project)
        guard !files.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError("Can't make the folder \(folder). Check its path and its rights.")
        }
        var missing = 0
        for file in files {
            let path = FilePath(folder).appending(file.digest)
            do {
                if try await FileSystem.shared.info(forFileAt: path)?.size == file.size { continue }
                missing += try await write(file, to: path) ? 0 : 1
            } catch is FileSystemError {
                throw CommandError("Can't write \(path). Check the folder's rights and free space.")
            }
        }
        guard missing > 0 else { return }
        throw CommandError(
            "The bytes of \(counted(missing, "file")) are missing in \(wiring.files?.name ?? "the file store"). "
                + "The export is complete otherwise. To list them, run `tidemark check`.")
    }

    /// Returns false if the bytes are missing.
    private func write(_ file: StoredFile, to path: FilePath) async throws -> Bool {
        guard let source = try? await wiring.services.files.open(file) else { return false }
        let temporary = FilePath(path.string + ".unfinished")
        do {
            try await copy(source, bytes: file.size, to: temporary)
            await source.close()
            try await FileSystem.shared.replaceItem(at: path, withItemAt: temporary)
            return true
        } catch {
            await source.close()
            _ = try? await FileSystem.shared.removeItem(at: temporary)
            if case FileStoreError.failed = error { return false }
            throw error
        }
    }

    private func copy(_ source: any OpenFile, bytes: Int64, to path: FilePath) async throws {
        try await FileSystem.shared.withFileHandle(forWritingAt: path, options: .newFile(replaceExisting: true)) {
            target in
            var offset: Int64 = 0
            while offset < bytes {
                let some = try await source.read(offset..<bytes)
                offset += try await target.write(contentsOf: some, toAbsoluteOffset: offset)
            }
        }
    }
}
