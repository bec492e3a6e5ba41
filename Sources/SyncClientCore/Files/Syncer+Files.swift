import Foundation
import SyncProtocol

extension Syncer {
    /// Sends the files that were added to the replica, one after another. `watch` does so by itself.
    ///
    /// A file whose connection breaks goes on where the server has it. `progress` is called when the server has more of
    /// one. What can't succeed has failed then (`QueuedFile.reason`), and holds up no other. One task of all processes
    /// sends at a time; if another one does, this returns at once.
    ///
    /// Throws `SyncError` if there is no answer within `SyncOptions.patience`; the next call goes on from there. Throws
    /// `ReplicaError`, SQLite's errors and `CancellationError` as a sync does.
    public func sendFiles(
        progress: @escaping @Sendable (QueuedFile) -> Void = { _ in }
    ) async throws -> FilesOutcome {
        try await sendFiles(options, progress: progress)
    }

    /// Sends until nothing is left, however long the server can't be reached.
    func sendFilesPatiently() async throws {
        var patient = options
        patient.patience = nil
        _ = try await sendFiles(patient) { _ in }
    }

    private func sendFiles(
        _ options: SyncOptions, progress: @escaping @Sendable (QueuedFile) -> Void
    ) async throws -> FilesOutcome {
        let files = session.replica.files
        guard try !files.isUntouched() || files.hasWaiting() else { return FilesOutcome() }
        try await owner.run(session, options: options) { _ in }
        do {
            return try await session.replica.untilSuspended { [session] in
                try await FileLock(ofSenderFor: session.replica.path).withLock(session.environment) {
                    var sender = FileSender(session, options: options, progress: progress)
                    return try await sender.run()
                }
            }
        } catch is SentElsewhere {
            var outcome = FilesOutcome()
            outcome.waiting = try files.list().count { $0.state != .failed }
            return outcome
        }
    }

    /// Reads the files that `SyncOptions.keptFiles` chooses and that are not here, one after another, and returns how
    /// many. `watch` does so by itself. Throws what `openFile` throws; the next call goes on from there.
    public func readFilesAhead() async throws -> Int {
        guard let kept = options.keptFiles else { return 0 }
        var ahead = FilesAhead(session, options: options, kept: kept)
        return try await readAhead(&ahead)
    }

    private func readAhead(_ ahead: inout FilesAhead) async throws -> Int {
        try await owner.run(session, options: options) { _ in }
        return try await ahead.run()
    }

    /// Sends files, and reads those that are kept, beside syncs in this direction until the task is cancelled.
    func exchangingFiles(_ direction: SyncDirection) throws -> Task<Void, Never> {
        let path = session.replica.path
        let sends = direction == .pull ? nil : try ReplicaEar(path: path)
        let reads = direction == .push || options.keptFiles == nil ? nil : try ReplicaEar(path: path)
        return Task {
            async let sending: Void = sendingFiles(sends)
            await readingAhead(reads)
            await sending
        }
    }

    /// Reads what is kept whenever something has changed. What fails is tried again, and ends nothing.
    private func readingAhead(_ ear: ReplicaEar?) async {
        guard let ear, let kept = options.keptFiles else { return }
        var ahead = FilesAhead(session, options: options, kept: kept)
        await onChange(ear) { _ in _ = try await readAhead(&ahead) }
    }

    /// Calls `work` whenever something was written to the replica, and after `fileDelay` in any case, until the task is
    /// cancelled. `isDue` says that the time has passed. An error of it ends nothing.
    private func onChange(_ ear: ReplicaEar, _ work: (_ isDue: Bool) async throws -> Void) async {
        let environment = session.environment
        var due = environment.now()
        while !Task.isCancelled {
            do {
                let isDue = environment.now() >= due
                if try ear.hasHeard() || isDue {
                    due = environment.now() + Self.fileDelay
                    try await work(isDue)
                }
            } catch {}
            guard (try? await environment.sleep(options.lookForEdits)) != nil else { return }
        }
    }

    /// How long a file waits that could not be sent, unless something is written to the replica.
    private static let fileDelay = Duration.seconds(30)

    /// Sends files whenever some wait.
    private func sendingFiles(_ ear: ReplicaEar?) async {
        guard let ear else { return }
        let files = session.replica.files
        await onChange(ear) { isDue in
            if isDue {
                try files.sweep(at: session.environment.wallClock())
                try files.resend()
            }
            if try files.hasWaiting() { try await sendFilesPatiently() }
        }
    }

    /// The file with this digest, from the replica or else from the server; `project` is only needed in a replica of
    /// all projects, and there for what is not here. What comes from the server is kept in the cache.
    ///
    /// The caller may read what a row that it may see names, once that says `stored`. For anything else this throws
    /// `SyncError.refused`, status 404. Throws `FileError`, and what `sendFiles` throws.
    public func openFile(_ digest: String, in project: String? = nil) async throws -> LocalFile {
        let files = session.replica.files
        if let file = try files.local(digest, in: project, at: session.environment.wallClock()) { return file }
        guard let project = try files.place(digest, project) else { throw FileError.needsProject }
        try await owner.run(session, options: options) { _ in }
        return try await FileDownload(session: session, options: options).run(digest, of: project)
    }
}

/// Reads a file from the server, in pieces, into the replica's cache.
struct FileDownload {
    let session: Session
    let options: SyncOptions

    /// Throws `NoRoom` as soon as the file turns out to have more than `most` bytes.
    func run(_ digest: String, of project: String, most: Int64 = .max) async throws -> LocalFile {
        let files = session.replica.files
        let file = try files.folder.begin()
        do {
            try await read(digest, of: project, most: most, into: file)
            guard file.digest == digest else { throw SyncError.violation("the bytes of a file have another digest") }
            return try files.cache(
                file, of: project, at: session.environment.wallClock(), keeping: options.fileCacheBytes)
        } catch {
            file.discard()
            throw error
        }
    }

    struct NoRoom: Error {}

    private func read(_ digest: String, of project: String, most: Int64, into file: NewReplicaFile) async throws {
        let exchange = FileExchange(session: session, timeout: options.requestTimeout)
        var retry = Retry(options, seed: session.environment.seed())
        retry.begin(at: session.environment.now())
        var piece = FilePiece()
        var size = Int64.max
        while file.size < size {
            let begun = session.environment.now()
            do {
                let next = try await exchange.read(digest, of: project, at: file.size, count: piece.size)
                guard next.size <= most else { throw NoRoom() }
                try file.append(next.bytes)
                size = next.size
                piece.came(in: session.environment.now() - begun)
                retry.begin(at: session.environment.now())
            } catch let trouble as FileTrouble {
                if trouble.isFinal {
                    throw SyncError.refused(status: trouble.status, code: trouble.code, detail: trouble.detail)
                }
                piece.broke()
                guard let delay = retry.delay(after: trouble.retryAfter, at: session.environment.now()) else {
                    throw SyncError.gaveUp(reason: trouble.detail)
                }
                try await session.environment.sleep(delay)
            }
        }
    }
}

/// Another task sends the replica's files.
private struct SentElsewhere: Error {}

extension FileLock {
    /// Lets one task at a time send a replica's files.
    fileprivate init(ofSenderFor replica: String) {
        let path = ReplicaFolder(of: replica).path
        self.init(file: path, path: path + "/.sending", timeout: .zero, busy: SentElsewhere()) {
            FileError.notStored(path: path, reason: ReplicaRights.reason($0))
        }
    }
}
