package import NIOCore
package import SyncAccounts
import SyncProtocol
import SyncSchema
package import SyncStore

/// Receives files whose uploads may break off and go on.
///
/// An offset is told only after the bytes before it are safe and recorded. So it never falls, whatever crashes when. A
/// newer request ends the older one, on this server and on others.
package struct FileUploadService<Store: SyncStore>: Sendable {
    /// How far an upload is.
    package struct State: Sendable, Equatable {
        package let id: String
        /// The SHA-256 that the file is to have.
        package let digest: String
        /// How many bytes are safe.
        package let offset: Int64
        /// How many there will be; nil if the client has not said.
        package let length: Int64?
        /// Whether the file is whole, and recorded.
        package let isComplete: Bool
    }

    /// What a request brings.
    package struct Piece: Sendable {
        /// Where its first byte belongs.
        package let offset: Int64
        /// Whether the file ends with it; nil if it does when it has the length of the upload.
        package let isLast: Bool?
        /// How many bytes it announces; nil if it does not.
        package let length: Int64?

        package init(offset: Int64, isLast: Bool?, length: Int64?) {
            self.offset = offset
            self.isLast = isLast
            self.length = length
        }
    }

    /// How many bytes may be lost if the server is killed.
    private static var portion: Int64 { 16 << 20 }
    /// The most parts of a file.
    private static var mostParts: Int { 10_000 }

    private let files: FileService<Store>
    private let store: Store
    private let clock: WallClock
    private let newID: NewID
    private let turns = UploadTurns()

    package init(_ files: FileService<Store>, store: Store, clock: WallClock, newID: NewID) {
        self.files = files
        self.store = store
        self.clock = clock
        self.newID = newID
    }

    // MARK: Requests

    /// Begins an upload. Returns nil if the caller may read the file already, unless `alsoKnown`: then its bytes are
    /// read and dropped. If the caller has begun one of the same file that is not finished, it returns that.
    ///
    /// Throws what `FileService.receive` throws for a file of this length, and none of its bytes.
    package func begin(
        _ digest: String, length: Int64?, to project: String, from caller: Caller, alsoKnown: Bool = false
    ) async throws -> State? {
        let limits = files.limits
        if let length { try limits.requireSize(length) }
        let reserved = length ?? limits.fileBytes
        let isNeeded = try await files.admit(digest, bytes: reserved, to: project, from: caller)
        guard isNeeded || alsoKnown else { return nil }
        let id = newID()
        let running = files.running.use(of: caller.userID)
        return try await store.write(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let now = try transaction.now(by: clock)
            if let begun = try transaction.unfinishedUpload(of: digest, to: project, by: caller.userID),
                begun.length == length
            {
                return State(begun)
            }
            let quiet = UploadReserve.quiet(at: now)
            let own = try transaction.uploadUse(of: caller.userID, quietSince: quiet) + running
            try limits.requireUpload(of: reserved, besides: own)
            let use = try transaction.fileUse(of: project) + transaction.uploadUse(in: project, quietSince: quiet)
            try limits.requireRoom(for: reserved, besides: use, access)
            let upload = FileUpload(
                id: id, project: project, user: caller.userID, digest: digest, length: length, reserved: reserved,
                movedAt: now)
            try transaction.add(upload)
            return State(upload)
        }
    }

    /// How far the upload is. Ends a request that is under way. Throws `not_found` if there is no such upload of the
    /// caller, or if its bytes were lost; `rate_limited`; and what `ProjectAccess` and its `requireUpload` throw.
    package func state(of id: String, in project: String, for caller: Caller) async throws -> State {
        try await turn(id, in: project, for: caller) { State($0.upload) }
    }

    /// Adds bytes, and makes the file whole with the last ones. Ends a request that is under way. If the body breaks
    /// off, what came is kept. A file that is whole already is not changed.
    ///
    /// Throws what `state` throws, `upload_offset_mismatch`, `upload_length_mismatch`, `file_too_large`, `disk_full`,
    /// `quota_exceeded`, and `digest_mismatch`, after which there is no such upload any more.
    package func append<Body: AsyncSequence & Sendable>(
        _ piece: Piece, _ body: Body, to id: String, in project: String, from caller: Caller
    ) async throws -> State where Body.Element == ByteBuffer {
        // A request in the middle costs what it adds, however many came before.
        let mayBeLast = { @Sendable (upload: FileUpload) in
            piece.isLast ?? (upload.length.map { piece.offset + (piece.length ?? $0) >= $0 } ?? true)
        }
        return try await turn(id, in: project, for: caller, waitsForClient: true, looksAtAll: mayBeLast) { turn in
            guard turn.upload.finishedAt == nil else { return State(turn.upload) }
            try require(piece, turn.upload)
            do {
                return try await receive(piece, body, in: turn, from: caller)
            } catch FileStoreError.full {
                throw Problem(.diskFull, "The server's disk is full. What came before is kept.")
            }
        }
    }

    /// Ends the upload, and forgets its bytes. Does nothing to a file that is whole. Throws what `state` throws.
    package func cancel(_ id: String, in project: String, for caller: Caller) async throws {
        try await turn(id, in: project, for: caller) { turn in
            guard turn.upload.finishedAt == nil else { return }
            try await forget(turn)
        }
    }

    // MARK: Turns

    /// An upload, and the right to add to it until the next request takes its turn.
    private struct Turn: Sendable {
        var upload: FileUpload
        var parts: [FileUpload.Part]
        let store: any FileStore
    }

    private func turn<Value: Sendable>(
        _ id: String, in project: String, for caller: Caller, waitsForClient: Bool = false,
        looksAtAll: @escaping @Sendable (FileUpload) -> Bool = { _ in true },
        _ body: @escaping @Sendable (Turn) async throws -> Value
    ) async throws -> Value {
        let folder = try files.requireStore()
        try await store.read(.project(project)) { transaction in
            _ = try find(id, in: project, for: caller, transaction)
        }
        // Taking a turn is a write, also for who only asks.
        try files.claimWrite(of: project, by: caller)
        return try await turns.run(id, waitsForClient: waitsForClient) {
            var turn = try await store.write(.project(project)) { transaction in
                let upload = try find(id, in: project, for: caller, transaction)
                guard upload.finishedAt == nil, let taken = try transaction.takeTurn(ofUpload: id) else {
                    return Turn(upload: upload, parts: [], store: folder)
                }
                return Turn(upload: taken, parts: try transaction.parts(ofUpload: id), store: folder)
            }
            try await requireBytes(&turn, looksAtAll: looksAtAll(turn.upload))
            // A server that was killed may have left rows that are not `stored` yet.
            if turn.upload.finishedAt != nil {
                try await files.settling.settle(turn.upload.digest, of: project, author: turn.upload.user)
            }
            return try await body(turn)
        }
    }

    private func find(
        _ id: String, in project: String, for caller: Caller, _ transaction: any ReadTransaction
    ) throws -> FileUpload {
        let access = try ProjectAccess(caller, project: project, in: transaction)
        try access.requireUpload(files.registry)
        guard let upload = try transaction.fileUpload(id), upload.project == project, upload.user == caller.userID
        else { throw Problem.noUpload }
        return upload
    }

    /// A restored database knows of bytes that are gone. If the file has come whole meanwhile, the upload is that.
    private func requireBytes(_ turn: inout Turn, looksAtAll: Bool) async throws {
        var isWhole = turn.parts.count < Self.mostParts
        for part in looksAtAll ? turn.parts[...] : turn.parts.suffix(1) where isWhole {
            isWhole = try await (turn.store.size(ofUnfinished: part.name) ?? 0) >= part.bytes
        }
        guard isWhole else {
            guard let finished = try await forget(turn) else { throw Problem.noUpload }
            turn = Turn(upload: finished, parts: [], store: turn.store)
            return
        }
    }

    /// Forgets the upload, unless it has been finished since. Then it is returned.
    @discardableResult
    private func forget(_ turn: Turn) async throws -> FileUpload? {
        let finished = try await store.write(.project(turn.upload.project)) { transaction -> FileUpload? in
            if let now = try transaction.fileUpload(turn.upload.id), now.finishedAt != nil { return now }
            try transaction.forget(turn.upload)
            return nil
        }
        for part in turn.parts { try? await turn.store.removeUnfinished(part.name) }
        return finished
    }

    private func require(_ piece: Piece, _ upload: FileUpload) throws {
        guard piece.offset == upload.received else {
            throw Problem(
                .uploadOffsetMismatch, "The upload goes on at \(upload.received).",
                members: ["offset": .int(upload.received)])
        }
        guard let length = piece.length else { return }
        let (end, isTooLarge) = piece.offset.addingReportingOverflow(length)
        try files.limits.requireSize(isTooLarge ? .max : end)
        guard let whole = upload.length, piece.isLast == true ? end != whole : end > whole else { return }
        throw Problem.otherLength(whole)
    }

    // MARK: Receiving

    private func receive<Body: AsyncSequence & Sendable>(
        _ piece: Piece, _ body: Body, in turn: Turn, from caller: Caller
    ) async throws -> State where Body.Element == ByteBuffer {
        let part = try await ReceivedPart(in: turn.store)
        let most = turn.upload.length ?? files.limits.fileBytes
        do {
            for try await bytes in body {
                guard await piece.offset + part.count + Int64(bytes.readableBytes) <= most else {
                    throw turn.upload.length.map(Problem.otherLength) ?? files.limits.tooLarge
                }
                try await part.append(bytes)
                if await part.count - part.safe >= Self.portion { try await note(part, turn) }
            }
            // The end of a task that was cancelled looks like that of the body.
            try Task.checkCancellation()
            if let length = piece.length, await part.count < length { throw CancellationError() }
            // The client may be gone, and all of its bytes are here.
            return try await Task { try await end(piece, part, in: turn, from: caller) }.value
        } catch let problem as Problem where problem.code == .digestMismatch {
            await part.discard()
            throw problem
        } catch {
            // This task may have been cancelled, and what came is kept nevertheless.
            await Task {
                try? await note(part, turn)
                await part.leave()
            }.value
            throw error
        }
    }

    /// Makes what came safe, and records it. Throws if another request has taken its turn.
    private func note(_ part: ReceivedPart, _ turn: Turn) async throws {
        var failure: (any Error)?
        do { try await part.sync() } catch { failure = error }
        let safe = await part.safe
        if safe > 0 { try await note(safe, ofPart: part.name, turn) }
        if let failure { throw failure }
    }

    private func note(_ safe: Int64, ofPart name: String, _ turn: Turn) async throws {
        let isOurs = try await store.write(.project(turn.upload.project)) { transaction in
            guard let now = try transaction.fileUpload(turn.upload.id), now.turn == turn.upload.turn,
                now.finishedAt == nil
            else { return false }
            try transaction.note(
                FileUpload.Part(name: name, bytes: safe), ofUpload: now.id, at: transaction.now(by: clock))
            return true
        }
        guard isOurs else { throw CancellationError() }
    }

    private func end(
        _ piece: Piece, _ part: ReceivedPart, in turn: Turn, from caller: Caller
    ) async throws -> State {
        let upload = turn.upload
        let count = await part.count
        let size = piece.offset + count
        let isLast = piece.isLast ?? (size == upload.length)
        if isLast, let length = upload.length, size != length { throw Problem.otherLength(length) }
        // A part that is recorded keeps its name until the file is: the upload goes on with it after a crash.
        let isRecorded = await part.safe > 0
        let isAlone = isLast && turn.parts.isEmpty && !isRecorded
        if !isAlone {
            try await note(part, turn)
            await part.leave()
        }
        guard isLast else {
            return State(
                id: upload.id, digest: upload.digest, offset: size, length: upload.length, isComplete: false)
        }
        var whole = turn
        if count > 0 { whole.parts.append(FileUpload.Part(name: part.name, bytes: count)) }
        do {
            let file = try await isAlone ? ReceivedFile(upload.digest, part, newID: newID) : joined(whole)
            try await files.record(file, of: upload.project, from: caller)
        } catch let problem as Problem where problem.code == .digestMismatch {
            try await forget(whole)
            throw problem
        }
        if !isAlone { try? await turn.store.removeUnfinished(part.name) }
        try await files.settling.settle(upload.digest, of: upload.project, author: caller.userID)
        return State(id: upload.id, digest: upload.digest, offset: size, length: size, isComplete: true)
    }
}

extension FileUploadService {
    /// The bytes of all parts, in one file. What a request of before may still write to a part is not in it.
    private func joined(_ turn: Turn) async throws -> ReceivedFile {
        let whole = try await ReceivedPart(in: turn.store)
        do {
            for part in turn.parts { try await copy(part, to: whole, turn.store) }
            return try await ReceivedFile(turn.upload.digest, whole, newID: newID)
        } catch {
            await whole.discard()
            throw error
        }
    }

    private func copy(_ part: FileUpload.Part, to whole: ReceivedPart, _ store: any FileStore) async throws {
        let file = try await store.openUnfinished(part.name)
        do {
            var left = 0..<part.bytes
            while !left.isEmpty {
                let bytes = try await file.read(left)
                try await whole.append(bytes)
                left = (left.lowerBound + Int64(bytes.readableBytes))..<left.upperBound
            }
        } catch {
            await file.close()
            throw error
        }
        await file.close()
    }
}

extension FileUploadService.State {
    fileprivate init(_ upload: FileUpload) {
        id = upload.id
        digest = upload.digest
        offset = upload.received
        length = upload.length
        isComplete = upload.finishedAt != nil
    }
}

/// How long bytes are kept free for an upload that gets none.
enum UploadReserve {
    static func quiet(at now: Instant) -> Instant { now.advanced(by: .seconds(-3600)) }
}

extension Problem {
    fileprivate static let noUpload = Problem(
        .notFound, "There is no such upload, or its bytes are gone. Begin the upload again.")

    fileprivate static func otherLength(_ length: Int64) -> Problem {
        Problem(
            .uploadLengthMismatch, "The upload was begun for a file of \(length) bytes.",
            members: ["length": .int(length)])
    }
}
