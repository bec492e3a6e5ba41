import Crypto
package import NIOCore
package import SyncAccounts
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Receives and serves the files of projects.
package struct FileService<Store: SyncStore>: Sendable {
    private let store: Store
    private let files: (any FileStore)?
    private let registry: Registry
    private let limits: FileLimits
    private let writes: UploadLimits
    private let clock: WallClock
    private let newID: NewID
    private let uploads = RunningUploads()

    /// Without `files`, all calls throw `no_file_store`. Files that are sent count against `writes`.
    package init(
        store: Store, files: (any FileStore)?, registry: Registry, limits: FileLimits, writes: UploadLimits,
        clock: WallClock, newID: NewID
    ) {
        self.store = store
        self.files = files
        self.registry = registry
        self.limits = limits
        self.writes = writes
        self.clock = clock
        self.newID = newID
    }

    // MARK: Reading

    /// The file, for reading. Whoever sees a live row that names it, and is `stored`, may read it. Throws `not_found`
    /// to everybody else, and for a file that there is not; and what `ProjectAccess` throws.
    package func find(_ digest: String, of project: String, for caller: Caller) async throws -> StoredFile {
        _ = try requireStore()
        return try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let sight = FileSight(access: access, registry: registry, transaction: transaction)
            guard try sight.reads(digest), let file = try transaction.file(digest, of: project) else {
                throw Problem.noFile
            }
            return file
        }
    }

    /// Opens the bytes of a file that was found.
    package func open(_ file: StoredFile) async throws -> any OpenFile {
        do {
            return try await requireStore().open(file.place)
        } catch FileStoreError.missing {
            throw Problem.noFile
        }
    }

    // MARK: Receiving

    /// Receives a file. Returns whether the caller could not read it before.
    ///
    /// The body is read only if the caller may write a field that names files, and if there is room for its length; and
    /// not if the caller may read the file already. When this returns, the file is safe, and rows in which the caller
    /// named it are `stored`. If it throws, nothing is kept; the same call may be made again.
    ///
    /// Throws `no_file_store`, what `ProjectAccess` and its `requireUpload` throw, `file_too_large`, `quota_exceeded`,
    /// `rate_limited`, `too_many_uploads`, `digest_mismatch`, and `disk_full`.
    package func receive<Body: AsyncSequence>(
        _ digest: String, length: Int64?, _ body: Body, of project: String, from caller: Caller
    ) async throws -> Bool where Body.Element == ByteBuffer {
        let files = try requireStore()
        if let length { try limits.requireSize(length) }
        let reserved = length ?? limits.fileBytes
        try writes.claim(user: caller.userID).take([project])
        guard try await admit(digest, bytes: reserved, to: project, from: caller) else {
            try await settle(digest, of: project, caller)
            return false
        }
        let place = try uploads.take(reserved, of: caller.userID, limits)
        defer { uploads.giveBack(place) }
        do {
            let received = try await ReceivedFile(digest, from: body, in: files, limits: limits, newID: newID)
            try await record(received, of: project, from: caller, in: files)
        } catch FileStoreError.full {
            throw Problem(.diskFull, "The server's disk is full. The file was not kept.")
        }
        try await settle(digest, of: project, caller)
        return true
    }

    /// Whether the bytes are wanted. Throws if the caller may not send them.
    private func admit(_ digest: String, bytes: Int64, to project: String, from caller: Caller) async throws -> Bool {
        try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            try access.requireUpload(registry)
            try limits.requireRoom(for: bytes, besides: transaction.fileUse(of: project), access)
            return try !FileSight(access: access, registry: registry, transaction: transaction).reads(digest)
        }
    }

    /// Records a file whose bytes are kept. They are dropped again if the project has them already: nobody learns that.
    private func record(
        _ received: ReceivedFile, of project: String, from caller: Caller, in files: any FileStore
    ) async throws {
        let isKept: Bool
        do {
            isKept = try await store.write(.project(project)) { transaction in
                let access = try ProjectAccess(caller, project: project, in: transaction)
                try access.requireUpload(registry)
                let isNew = try transaction.file(received.digest, of: project) == nil
                if isNew {
                    try limits.requireRoom(for: received.size, besides: transaction.fileUse(of: project), access)
                    try transaction.add(
                        StoredFile(
                            project: project, digest: received.digest, size: received.size, place: received.place,
                            unnamedSince: nil))
                    try transaction.markUnnamed([received.digest], of: project, at: transaction.now(by: clock))
                }
                try transaction.noteSender(of: received.digest, to: project, caller.userID)
                return isNew
            }
        } catch let problem as Problem where problem.code != .outcomeUnknown {
            try? await files.remove(received.place)
            throw problem
        }
        // Whatever else fails leaves bytes that the database may know. A sweep finds those that it does not.
        if !isKept { try? await files.remove(received.place) }
    }

    /// Makes rows `stored` that name the file, and whose namers have sent it or may read it: this call of the caller
    /// may have been what they waited for. A row of somebody else may be what yet another one may read it by.
    private func settle(_ digest: String, of project: String, _ caller: Caller) async throws {
        while true {
            let waiting = try await store.read(.project(project)) { transaction in
                try PendingNames(registry: registry, transaction: transaction, project: project).ready(digest)
            }
            guard !waiting.isEmpty else { return }
            try await store.write(.project(project)) { transaction in
                let pending = PendingNames(registry: registry, transaction: transaction, project: project)
                let ready = try waiting.filter(pending.isReady)
                let now = try transaction.now(by: clock)
                try transaction.name(
                    ready.map {
                        NamedFile(
                            digest: digest, key: $0.key, field: $0.field, setBy: $0.setBy, isStored: true)
                    }, in: project)
                let draft = Draft(transaction, registry, project: project, author: caller.userID, now: now)
                for file in ready where registry[file.key.collection] != nil { try draft.restamp(file.key) }
                _ = try draft.commit()
            }
        }
    }

    private func requireStore() throws -> any FileStore {
        guard let files else {
            throw Problem(.noFileStore, "This server keeps no files. The operator can set TIDEMARK_FILES_STORE.")
        }
        return files
    }
}

extension Problem {
    /// Also for a file that the caller may not read.
    fileprivate static let noFile = Problem(.notFound, "There is no such file in this project.")
}

/// A file whose bytes are kept, and not recorded yet.
private struct ReceivedFile {
    let digest: String
    let size: Int64
    let place: String

    /// How many bytes are written at once. Bodies come in pieces of any size.
    private static let portion = 128 << 10

    /// Reads the body to its end. Throws `file_too_large`, `digest_mismatch`, and what the store throws.
    init<Body: AsyncSequence>(
        _ digest: String, from body: Body, in files: any FileStore, limits: FileLimits, newID: NewID
    ) async throws where Body.Element == ByteBuffer {
        self.digest = digest
        place = "\(digest.prefix(2))/\(digest).\(newID())"
        let file = try await files.begin()
        do {
            var hash = SHA256()
            var count: Int64 = 0
            var waiting = ByteBuffer()
            for try await part in body {
                count += Int64(part.readableBytes)
                try limits.requireSize(count)
                part.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                waiting.writeImmutableBuffer(part)
                guard waiting.readableBytes >= ReceivedFile.portion else { continue }
                try await file.append(waiting)
                waiting.clear()
            }
            try await file.append(waiting)
            size = count
            guard Array(hash.finalize()).hex == digest else {
                throw Problem(.digestMismatch, "The bytes have another SHA-256 than the path says. Nothing was kept.")
            }
            try await file.keep(as: place)
        } catch {
            await file.discard()
            throw error
        }
    }
}

/// Which fields that name a file of a project may become stored.
private struct PendingNames {
    let registry: Registry
    let transaction: any ReadTransaction
    let project: String

    /// The most rows that one commit makes stored.
    private static let most = 500

    /// Some of those that are pending and may be stored now; none if there are none.
    func ready(_ digest: String) throws -> [NamedFile] {
        guard try transaction.file(digest, of: project) != nil else { return [] }
        var namers: [Int64: Bool] = [:]
        var ready: [NamedFile] = []
        var last: NamedFile?
        while ready.count < PendingNames.most {
            let found = try transaction.namedFiles(
                digest, of: project, isStored: false, after: last, limit: PendingNames.most)
            for file in found {
                let mayRead = try namers[file.setBy] ?? mayName(digest, file.setBy)
                namers[file.setBy] = mayRead
                if mayRead { ready.append(file) }
            }
            guard found.count == PendingNames.most else { break }
            last = found.last
        }
        return Array(ready.prefix(PendingNames.most))
    }

    /// Whether the name is still there, is pending, and may be stored.
    func isReady(_ file: NamedFile) throws -> Bool {
        guard let now = try transaction.namedFile(file.digest, of: project, by: file.key, field: file.field),
            !now.isStored, now.setBy == file.setBy, try transaction.file(file.digest, of: project) != nil
        else { return false }
        return try mayName(file.digest, file.setBy)
    }

    private func mayName(_ digest: String, _ user: Int64) throws -> Bool {
        if try transaction.hasSent(digest, to: project, by: user) { return true }
        guard let user = try transaction.user(id: user), !user.isDisabled else { return false }
        let caller = Caller(userID: user.id, username: user.username, isSuperuser: user.isSuperuser)
        guard let access = try ProjectAccess.ifVisible(caller, project: project, in: transaction) else { return false }
        return try FileSight(access: access, registry: registry, transaction: transaction).reads(digest)
    }
}
