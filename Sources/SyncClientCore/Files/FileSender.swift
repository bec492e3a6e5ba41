import Foundation
import SyncProtocol

/// Sends the files of a replica, one after another. Each step is stored before the next one, so the next process goes
/// on where this one died. A file goes in several requests: how far it is can be seen, and little is lost with one.
struct FileSender {
    /// How often the server may find that the bytes have another digest. They had the right one when they were added.
    private static let mostVoids = 1
    /// How often an upload is begun in one try. The server may have lost the first one.
    private static let mostBegins = 2

    private let session: Session
    private let options: SyncOptions
    private let progress: @Sendable (QueuedFile) -> Void
    private let exchange: FileExchange
    private var piece = FilePiece()
    private var files: Files { session.replica.files }
    private var outcome = FilesOutcome()
    /// Files that something else has to come before.
    private var held: Set<Int64> = []

    init(_ session: Session, options: SyncOptions, progress: @escaping @Sendable (QueuedFile) -> Void) {
        self.session = session
        self.options = options
        self.progress = progress
        exchange = FileExchange(session: session, timeout: options.requestTimeout)
    }

    /// Sends until nothing is left that can be sent. Throws `SyncError`.
    mutating func run() async throws -> FilesOutcome {
        try files.sweep(at: session.environment.wallClock())
        try files.resend()
        var retry = Retry(options, seed: session.environment.seed())
        retry.begin(at: session.environment.now())
        while true {
            let (trouble, hasMoved) = try await pass()
            if hasMoved { retry.begin(at: session.environment.now()) }
            if let trouble {
                guard let delay = retry.delay(after: trouble.retryAfter, at: session.environment.now()) else {
                    throw SyncError.gaveUp(reason: trouble.detail)
                }
                try await session.environment.sleep(delay)
            }
            if try due().isEmpty { break }
        }
        try files.trim(to: options.fileCacheBytes, at: session.environment.wallClock())
        outcome.waiting = try files.list().count { $0.state != .failed }
        return outcome
    }

    /// The files to try.
    private func due() throws -> [FileEntry] {
        try files.unsent().filter { $0.state != .failed && !held.contains($0.number) }
    }

    /// Tries each file once. Where nothing answers, the others wait as well.
    private mutating func pass() async throws -> (trouble: FileTrouble?, hasMoved: Bool) {
        var last: FileTrouble?
        var hasMoved = false
        for entry in try due() {
            let (trouble, moved) = try await attempt(entry)
            hasMoved = hasMoved || moved
            last = trouble ?? last
            if trouble?.status == 0 { break }
        }
        return (last, hasMoved)
    }

    /// What a request has changed.
    private struct Step {
        /// Nil if the file was removed meanwhile.
        var entry: FileEntry?
        /// Whether the server said just now how much it has.
        var isSure = false
    }

    /// Sends a file as far as it goes. `trouble` is why it has to be tried again. `hasMoved`: the server has more of it
    /// than before.
    private mutating func attempt(_ entry: FileEntry) async throws -> (trouble: FileTrouble?, hasMoved: Bool) {
        var at = Step(entry: entry)
        var hasMoved = false
        var begins = 0
        do {
            while let entry = at.entry, entry.state != .stored {
                try Task.checkCancellation()
                if entry.upload == nil { begins += 1 }
                guard begins <= Self.mostBegins else {
                    throw FileTrouble(
                        status: 200, code: "", detail: "The server loses what was sent to it.", retryAfter: nil)
                }
                at = try await next(after: entry, isSure: at.isSure)
                hasMoved = hasMoved || (at.entry?.sent ?? 0) > entry.sent
            }
            return (nil, hasMoved)
        } catch let trouble as FileTrouble {
            return (try at.entry.flatMap { try fail($0, trouble) }, hasMoved)
        } catch let error as FileError {
            guard let entry = at.entry else { return (nil, hasMoved) }
            if case .bytesLost = error {
                try lose(entry, "\(error)")
                return (nil, hasMoved)
            }
            let trouble = FileTrouble(status: 500, code: "unreadable", detail: "\(error)", retryAfter: nil)
            return (try fail(entry, trouble), hasMoved)
        }
    }

    private mutating func next(after entry: FileEntry, isSure: Bool) async throws -> Step {
        guard let upload = entry.upload else { return try await begin(entry) }
        return isSure ? try await append(entry, to: upload) : try await look(entry, upload)
    }

    private mutating func begin(_ entry: FileEntry) async throws -> Step {
        guard let begun = try await exchange.begin(entry) else { return try finish(entry) }
        let next = try note(entry) {
            $0.state = .sending
            $0.upload = begun.upload
            $0.sent = begun.offset ?? 0
        }
        return Step(entry: next, isSure: begun.offset != nil)
    }

    /// What the server does not know any more is begun again. Its answer to that says why, as that to a HEAD can't.
    private mutating func look(_ entry: FileEntry, _ upload: String) async throws -> Step {
        do {
            return try move(entry, try await exchange.state(upload, of: entry))
        } catch let trouble as FileTrouble where trouble.isRefusal {
            return try forget(entry)
        }
    }

    private mutating func append(_ entry: FileEntry, to upload: String) async throws -> Step {
        let count = Int(min(entry.size - entry.sent, Int64(piece.size)))
        let bytes = try files.folder.read(entry.place, of: entry.digest, at: entry.sent, count: count)
        let begun = session.environment.now()
        do {
            let reached = try await exchange.append(bytes, at: entry.sent, to: upload, of: entry)
            piece.came(in: session.environment.now() - begun)
            return try move(entry, reached)
        } catch let trouble as FileTrouble {
            if trouble.status == 404, !trouble.code.isEmpty { return try forget(entry) }
            guard trouble.status == 0 || trouble.status == 409 else { throw trouble }
            if trouble.status == 0 { piece.broke() }
            return try await goOn(entry, upload, after: trouble)
        }
    }

    /// Goes on at once if the server has more than before: then there is a network, only not for long.
    private mutating func goOn(_ entry: FileEntry, _ upload: String, after trouble: FileTrouble) async throws -> Step {
        let next: Step
        do { next = try await look(entry, upload) } catch is FileTrouble { throw trouble }
        if let now = next.entry, now.state != .stored, now.sent <= entry.sent { throw trouble }
        return next
    }

    private mutating func move(_ entry: FileEntry, _ reached: FileExchange.Reached) throws -> Step {
        guard case .offset(let offset) = reached else { return try finish(entry) }
        guard offset <= entry.size else {
            throw FileTrouble(status: 200, code: "", detail: "The server has too much of it.", retryAfter: nil)
        }
        let next = try note(entry) {
            $0.state = .sending
            $0.sent = offset
        }
        return Step(entry: next, isSure: true)
    }

    private func forget(_ entry: FileEntry) throws -> Step {
        Step(entry: try note(entry) { $0.forgetUpload() })
    }

    private mutating func finish(_ entry: FileEntry) throws -> Step {
        let now = session.environment.wallClock()
        let epoch = try session.replica.state().epoch
        let next = try note(entry) {
            $0.state = .stored
            $0.epoch = epoch
            $0.upload = nil
            $0.sent = $0.size
            $0.sentAt = now
            $0.usedAt = now
        }
        if next != nil { outcome.stored += 1 }
        return Step(entry: next, isSure: true)
    }

    /// Notes why a file waits, or why it can't succeed. Returns the trouble if it is to be tried again soon.
    private mutating func fail(_ entry: FileEntry, _ trouble: FileTrouble) throws -> FileTrouble? {
        let isVoid = ["digest_mismatch", "upload_length_mismatch"].contains(trouble.code)
        let isComing = trouble.status == 404 ? try files.isNew(project: entry.project) : false
        let isLost = trouble.isFinal && !isComing && !(isVoid && entry.voids < Self.mostVoids)
        let noted = try note(entry, keepsReason: true) {
            $0.state = isLost ? .failed : .waiting
            $0.reason = trouble.code.isEmpty ? "failed" : trouble.code
            $0.detail = trouble.detail
            guard isVoid else { return }
            $0.forgetUpload()
            $0.voids += 1
        }
        if isLost { outcome.failed += [noted].compactMap { $0 }.map(QueuedFile.init) }
        if isComing { held.insert(entry.number) }
        return isLost || isComing ? nil : trouble
    }

    private mutating func lose(_ entry: FileEntry, _ detail: String) throws {
        let noted = try note(entry, keepsReason: true) {
            // Another process may have added it again.
            guard $0.place == entry.place else { return }
            $0.state = .failed
            $0.reason = "bytes_lost"
            $0.detail = detail
        }
        outcome.failed += [noted].compactMap { $0 }.filter { $0.state == .failed }.map(QueuedFile.init)
    }

    private func note(
        _ entry: FileEntry, keepsReason: Bool = false, _ change: (inout FileEntry) -> Void
    ) throws -> FileEntry? {
        let noted = try files.note(unsent: entry) { entry in
            if !keepsReason { entry.clearReason() }
            change(&entry)
        }
        if let noted { progress(QueuedFile(noted)) }
        return noted
    }
}

/// How many bytes go in one request. It follows how fast they go and how often requests break.
struct FilePiece: Sendable {
    private static let smallest = 1 << 16
    private static let largest = 1 << 24
    /// The time within which a request is a quick one.
    private static let quick = Duration.seconds(4)

    private(set) var size = 1 << 20

    mutating func came(in time: Duration) { if time < Self.quick { size = min(2 * size, Self.largest) } }

    mutating func broke() { size = max(size / 2, Self.smallest) }
}

extension FileEntry {
    fileprivate mutating func forgetUpload() {
        upload = nil
        sent = 0
    }
}

/// What sending files has done.
public struct FilesOutcome: Sendable, Equatable {
    /// How many files the server has now that it did not have before.
    public internal(set) var stored = 0
    /// Those that it does not take, or whose bytes are lost.
    public internal(set) var failed: [QueuedFile] = []
    /// How many are still to be sent: something else has to come before, or somebody else is sending them.
    public internal(set) var waiting = 0
}
