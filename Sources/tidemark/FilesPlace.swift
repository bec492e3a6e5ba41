import Foundation
import SyncFiles
import SyncServer
import SyncStore
import SyncStores
import SystemPackage

/// Where the bytes of a database's files are.
enum FilesPlace: Sendable {
    case folder(String)
    case bucket(S3Bucket)

    /// What `--store` or TIDEMARK_FILES_STORE says. Throws a `CommandError`.
    init(_ text: String) throws {
        guard S3Bucket.isNamed(by: text) else {
            self = .folder(text)
            return
        }
        do {
            self = .bucket(
                try S3Bucket(text) { Variables.value(of: $0, in: ProcessInfo.processInfo.environment) })
        } catch let fault as S3Bucket.Fault {
            throw CommandError("TIDEMARK_FILES_STORE (files.store): \(fault)")
        }
    }

    /// For people.
    var name: String {
        switch self {
        case .folder(let path): path
        case .bucket(let bucket): bucket.name
        }
    }

    var store: any FileStore {
        switch self {
        case .folder(let path): FileFolder(FilePath(path))
        case .bucket(let bucket): S3Store(bucket)
        }
    }

    func inspector(readsBytes: Bool = false) -> any FileInspector {
        switch self {
        case .folder(let path): FolderInspector(path, readsBytes: readsBytes)
        case .bucket(let bucket): S3Inspector(bucket, readsBytes: readsBytes)
        }
    }

    /// What copies the files into a folder; nil if backups leave them where they are.
    var copying: ((_ folder: String) -> any FileBackup)? {
        guard case .folder(let path) = self else { return nil }
        return { FolderBackup(from: path, to: $0) }
    }

    /// What a backup without copies means; nil if it has copies.
    var aboutBackups: String? {
        guard case .bucket(let bucket) = self else { return nil }
        return "The files stay in \(bucket.name). A file that no row names any more is removed there after "
            + "TIDEMARK_FILES_SWEEP_DAYS, so set it to more days than backups reach back."
    }
}

extension FileSettings {
    /// Where the files of this database are; nil where nobody has said that servers share a place. Throws a
    /// `CommandError`.
    func place(besides database: String, isFile: Bool) throws -> FilesPlace? {
        if isFile, store.isEmpty { return .folder(FilesFolder.path(besides: database)) }
        guard !store.isEmpty else { return nil }
        let place = try FilesPlace(store)
        guard case .folder(let folder) = place, !isFile, !isShared else { return place }
        throw CommandError(
            "Several servers can share this database, and each would have files that the others lack. If all of "
                + "them have the folder \(folder), set TIDEMARK_FILES_SHARED=true (files.shared).")
    }
}
