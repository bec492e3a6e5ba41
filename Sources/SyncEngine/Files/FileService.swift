package import NIOCore
package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Receives and serves the files of projects.
package struct FileService<Store: SyncStore>: Sendable {
    private let store: Store
    private let files: (any FileStore)?
    let registry: Registry
    let limits: FileLimits
    private let writes: UploadLimits
    private let clock: WallClock
    private let newID: NewID
    let running = RunningUploads()
    var settling: FileSettling<Store> { FileSettling(store: store, registry: registry, clock: clock) }

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

    /// The most bytes of a file.
    package var mostBytes: Int64 { limits.fileBytes }

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
        guard try await admit(digest, bytes: reserved, to: project, from: caller) else { return false }
        // The bytes could take the room that is kept for logins.
        if store.troubles.contains(.diskFull) { throw Problem.diskFull }
        let others = try await store.read(.project(project)) { transaction in
            let quiet = try UploadReserve.quiet(at: transaction.now(by: clock))
            var use = try transaction.uploadUse(of: caller.userID, quietSince: quiet)
            // This one takes the place of an upload of the same file.
            if let begun = try transaction.unfinishedUpload(of: digest, to: project, by: caller.userID) {
                use.files -= 1
                use.bytes -= begun.movedAt < quiet ? begun.received : begun.reserved
            }
            return use
        }
        let slot = try running.take(reserved, of: caller.userID, besides: others, limits)
        defer { running.giveBack(slot) }
        do {
            let received = try await ReceivedFile(digest, from: body, in: files, limits: limits, newID: newID)
            try await record(received, of: project, from: caller)
        } catch FileStoreError.full {
            throw Problem(.diskFull, "The server's disk is full. The file was not kept.")
        }
        try await settling.settle(digest, of: project, author: caller.userID)
        return true
    }

    /// Whether the bytes are wanted: if the caller can't read them now, or if the file store has lost them. Otherwise
    /// rows in which the caller has named the file are `stored`. Throws if the caller may not send them.
    func admit(_ digest: String, bytes: Int64, to project: String, from caller: Caller) async throws -> Bool {
        let files = try requireStore()
        try claimWrite(of: project, by: caller)
        let (isReadable, known) = try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            try access.requireUpload(registry)
            try limits.requireRoom(for: bytes, besides: transaction.fileUse(of: project), access)
            let sight = FileSight(access: access, registry: registry, transaction: transaction)
            return (try sight.reads(digest), try transaction.file(digest, of: project))
        }
        if let known, try await files.size(of: known.place) != known.size {
            try await settling.unsettle(known)
            return true
        }
        guard isReadable else { return true }
        try await settling.settle(digest, of: project, author: caller.userID)
        return false
    }

    /// Records a file whose bytes are kept. They are dropped again if the project has them already: nobody learns that.
    /// The caller's uploads of the same file are finished with it.
    func record(_ received: ReceivedFile, of project: String, from caller: Caller) async throws {
        let files = try requireStore()
        let (isKept, parts): (Bool, [String])
        do {
            (isKept, parts) = try await store.write(.project(project)) { transaction in
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
                try settling.settleSome(received.digest, of: project, author: caller.userID, in: transaction)
                return (isNew, try finishUploads(of: received, to: project, from: caller, in: transaction))
            }
        } catch let problem as Problem where problem.code != .outcomeUnknown {
            try? await files.remove(received.place)
            throw problem
        }
        // Whatever else fails leaves bytes that the database may know. A sweep finds those that it does not.
        if !isKept { try? await files.remove(received.place) }
        for part in parts { try? await files.removeUnfinished(part) }
    }

    /// Returns the parts that are not needed any more.
    private func finishUploads(
        of file: ReceivedFile, to project: String, from caller: Caller, in transaction: any WriteTransaction
    ) throws -> [String] {
        var parts: [String] = []
        while let upload = try transaction.unfinishedUpload(of: file.digest, to: project, by: caller.userID) {
            parts += try transaction.parts(ofUpload: upload.id).map(\.name)
            try transaction.finish(upload, bytes: file.size, at: transaction.now(by: clock))
        }
        return parts
    }

    // MARK: Importing

    /// Keeps the bytes of a file of a project that is going to be made, whatever the limits are. Whoever makes the
    /// project records the file with it, or drops it.
    ///
    /// Throws `no_file_store`, `digest_mismatch` and `disk_full`.
    package func keep<Body: AsyncSequence>(
        _ digest: String, _ body: Body, for project: String
    ) async throws -> StoredFile where Body.Element == ByteBuffer {
        let unlimited = FileLimits(projectBytes: .max, fileBytes: .max)
        do {
            let kept = try await ReceivedFile(digest, from: body, in: requireStore(), limits: unlimited, newID: newID)
            return StoredFile(
                project: project, digest: digest, size: kept.size, place: kept.place, unnamedSince: nil)
        } catch FileStoreError.full {
            throw Problem(.diskFull, "The disk of the file store is full.")
        }
    }

    /// Removes files that were kept, and are not recorded.
    package func drop(_ kept: [StoredFile]) async {
        for file in kept { try? await files?.remove(file.place) }
    }

    /// Throws `rate_limited`.
    func claimWrite(of project: String, by caller: Caller) throws {
        try writes.claim(user: caller.userID).take([project])
    }

    func requireStore() throws -> any FileStore {
        guard let files else { throw Problem.noFileStore }
        return files
    }
}

extension Problem {
    package static let noFileStore = Problem(
        .noFileStore, "This server keeps no files. The operator can set TIDEMARK_FILES_STORE.")

    /// Also for a file that the caller may not read.
    fileprivate static let noFile = Problem(.notFound, "There is no such file in this project.")
}
