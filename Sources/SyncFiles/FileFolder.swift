import NIOCore
import Synchronization
package import SyncProtocol
package import SyncStore
package import SystemPackage
import _NIOFileSystem

/// Keeps files in a folder, `ab/abcd….random` each, and in `uploads` what is being received. The folder is made with
/// the first file, for its owner alone.
///
/// A file is written under another name, synced, renamed, and its folder is synced. So what `keep` has returned is
/// there after a power cut, as far as the disk keeps what it says is synced.
package final class FileFolder: FileStore {
    private let root: FilePath
    private let system = FileSystem.shared
    /// The folders whose names are known to be on the disk.
    private let durable = Mutex<Set<FilePath>>([])

    /// Does nothing yet: a server without files has no folder.
    package init(_ path: FilePath) { root = path }

    private var uploads: FilePath { root.appending("uploads") }

    package func begin() async throws -> any NewFile {
        try await telling {
            try await makeFolder(root)
            try await makeFolder(uploads)
            let path = uploads.appending(String(UInt64.random(in: .min ... .max), radix: 36))
            let handle = try await system.openFile(
                forReadingAndWritingAt: path,
                options: .modifyFile(createIfNecessary: true, permissions: [.ownerReadWrite]))
            return FolderUpload(handle, at: path, in: self)
        }
    }

    package func open(_ place: String) async throws -> any OpenFile {
        try await telling {
            KeptFile(try await system.openFile(forReadingAt: path(of: place), options: .init()))
        }
    }

    package func size(of place: String) async throws -> Int64? {
        try await telling {
            try await system.info(forFileAt: path(of: place)).flatMap { $0.type == .regular ? $0.size : nil }
        }
    }

    package func remove(_ place: String) async throws {
        try await telling { _ = try await system.removeItem(at: path(of: place), recursively: false) }
    }

    package func visitPlaces(keptBefore date: Instant, _ body: ([String]) async throws -> Void) async throws {
        for folder in try await names(in: root) where folder.utf8.count == 2 {
            let files = try await old(in: root.appending(folder), before: date)
            if !files.isEmpty { try await body(files.map { "\(folder)/\($0)" }) }
        }
    }

    package func openUnfinished(_ name: String) async throws -> any OpenFile {
        try await telling {
            KeptFile(try await system.openFile(forReadingAt: uploads.appending(name), options: .init()))
        }
    }

    package func size(ofUnfinished name: String) async throws -> Int64? {
        try await telling { try await system.info(forFileAt: uploads.appending(name))?.size }
    }

    package func removeUnfinished(_ name: String) async throws {
        try await telling { _ = try await system.removeItem(at: uploads.appending(name), recursively: false) }
    }

    package func unfinished(before date: Instant) async throws -> [String] { try await old(in: uploads, before: date) }

    /// Makes sure that the name of an unfinished file is on the disk.
    func syncUploads() async throws { try await sync(uploads) }

    /// Gives a synced file its name for good.
    func keep(_ path: FilePath, as place: String) async throws {
        let target = self.path(of: place)
        let folder = target.removingLastComponent()
        try await makeFolder(folder)
        try await system.moveItem(at: path, to: target)
        try await sync(folder)
    }

    private func path(of place: String) -> FilePath { root.appending(place) }

    // MARK: Folders

    /// Makes the folder unless it is there, so that it is there after a power cut. One that is there may have been made
    /// a moment ago, and not be on the disk yet.
    private func makeFolder(_ path: FilePath) async throws {
        if try await system.info(forFileAt: path) == nil {
            do {
                try await system.createDirectory(
                    at: path, withIntermediateDirectories: false, permissions: [.ownerReadWriteExecute])
            } catch let error as FileSystemError where error.code == .fileAlreadyExists {}
        } else if durable.withLock({ $0.contains(path) }) {
            return
        }
        try await sync(path.removingLastComponent())
        durable.withLock { _ = $0.insert(path) }
    }

    private func sync(_ folder: FilePath) async throws {
        let path = folder.isEmpty ? "." : folder
        try await system.withDirectoryHandle(atPath: path) { try await $0.synchronize() }
    }

    /// None if there is no such folder.
    private func names(in folder: FilePath) async throws -> [String] {
        try await telling {
            guard try await system.info(forFileAt: folder) != nil else { return [] }
            return try await system.withDirectoryHandle(atPath: folder) { handle in
                var names: [String] = []
                for try await entry in handle.listContents() { names.append(entry.name.string) }
                return names.sorted()
            }
        }
    }

    /// The names of files that were last written to before the time.
    private func old(in folder: FilePath, before date: Instant) async throws -> [String] {
        var old: [String] = []
        for name in try await names(in: folder) {
            let info = try await telling { try await system.info(forFileAt: folder.appending(name)) }
            guard let info, info.type == .regular, info.lastDataModificationTime.milliseconds < date.milliseconds else {
                continue
            }
            old.append(name)
        }
        return old
    }
}

/// A file that is being received into a `FileFolder`.
final class FolderUpload: NewFile {
    private let handle: ReadWriteFileHandle
    private let path: FilePath
    private let folder: FileFolder
    private let size = Mutex<Int64>(0)
    private let hasDurableName = Mutex(false)
    let name: String

    init(_ handle: ReadWriteFileHandle, at path: FilePath, in folder: FileFolder) {
        self.handle = handle
        self.path = path
        self.folder = folder
        name = path.lastComponent?.string ?? ""
    }

    func append(_ bytes: ByteBuffer) async throws {
        let offset = size.withLock(\.self)
        let count = try await telling { try await handle.write(contentsOf: bytes, toAbsoluteOffset: offset) }
        size.withLock { $0 += count }
    }

    func sync() async throws {
        try await telling {
            try await handle.synchronize()
            guard !hasDurableName.withLock(\.self) else { return }
            try await folder.syncUploads()
            hasDurableName.withLock { $0 = true }
        }
    }

    func close() async { await uncancelled { [handle] in try? await handle.close() } }

    func keep(as place: String) async throws {
        try await telling {
            try await handle.synchronize()
            try await handle.close()
            try await folder.keep(path, as: place)
        }
    }

    func discard() async {
        await close()
        await uncancelled { [path] in _ = try? await FileSystem.shared.removeItem(at: path, recursively: false) }
    }
}

/// A kept file of a `FileFolder`.
struct KeptFile: OpenFile {
    private let handle: ReadFileHandle
    private static let portion = ByteCount.kibibytes(256)

    init(_ handle: ReadFileHandle) { self.handle = handle }

    func read(_ range: Range<Int64>) async throws -> ByteBuffer {
        let length = min(KeptFile.portion, .bytes(Int64(range.count)))
        let bytes = try await telling {
            try await handle.readChunk(fromAbsoluteOffset: range.lowerBound, length: length)
        }
        guard bytes.readableBytes > 0 else { throw FileStoreError.failed("The file is shorter than it was.") }
        return bytes
    }

    func close() async { await uncancelled { [handle] in try? await handle.close() } }
}

/// Does something also if this task is cancelled. A handle that stays open ends the process.
private func uncancelled(_ body: @escaping @Sendable () async -> Void) async { await Task { await body() }.value }

extension FileInfo.Timespec {
    fileprivate var milliseconds: Int64 { Int64(seconds) * 1000 + Int64(nanoseconds) / 1_000_000 }
}

/// Calls the file system, and says what went wrong as a file store does.
private func telling<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as FileSystemError {
        throw FileStoreError(error)
    }
}

extension FileStoreError {
    fileprivate init(_ error: FileSystemError) {
        let errno = (error.cause as? FileSystemError.SystemCallError)?.errno
        switch errno {
        case .noSpace, .diskQuotaExceeded: self = .full
        default: self = error.code == .notFound ? .missing(error.message) : .failed("\(error)")
        }
    }
}
