import GRDB
public import SyncProtocol

/// Chooses the files that a replica reads before anybody opens them, by the rows that name them:
///
///     options.keptFiles = KeptFiles { row, collection in row["task"] != .null }
///
/// A watch reads them beside its syncs. They are part of the cache like files that were opened, and none is read that
/// would drop something from it (`SyncOptions.fileCacheBytes`).
public struct KeptFiles: Sendable, Equatable {
    private final class Choice: Sendable {
        let keep: @Sendable (JSON, String) -> Bool

        init(_ keep: @escaping @Sendable (JSON, String) -> Bool) { self.keep = keep }
    }

    private let choice: Choice

    /// `keep` is given a row, as `Replica.rows` has it, and its collection: one that names a file which the server has.
    /// It is asked for each row whose file is not here, after each sync that has changed something.
    public init(_ keep: @escaping @Sendable (_ row: JSON, _ collection: String) -> Bool) { choice = Choice(keep) }

    /// All files.
    public static let all = KeptFiles { _, _ in true }

    func keep(_ row: JSON, of collection: String) -> Bool { choice.keep(row, collection) }

    /// Whether they are the same value; what two functions choose can't be compared.
    public static func == (one: KeptFiles, other: KeptFiles) -> Bool { one.choice === other.choice }
}

/// Reads these files, one after another.
struct FilesAhead {
    /// How many rows are looked at together.
    private static let most = 1000

    private let session: Session
    private let options: SyncOptions
    private let kept: KeptFiles
    /// When a file is tried again that could not be read, and how long that was put off.
    private var deferred: [WantedFile: (due: Duration, pause: Duration)] = [:]
    /// What a file counts whose row tells no size.
    private static let usualSize: Int64 = 1 << 20
    /// How long a file is put off that could not be read, the first time and at most.
    private static let shortestPause = Duration.seconds(30)
    private static let longestPause = Duration.seconds(3600)
    private var files: Files { session.replica.files }

    init(_ session: Session, options: SyncOptions, kept: KeptFiles) {
        self.session = session
        self.options = options
        self.kept = kept
    }

    /// Returns how many files were read. One that the server refuses or gives damaged, or that has no room, holds up no
    /// other. Whatever else fails is thrown, and others come first the next time.
    mutating func run() async throws -> Int {
        var count = 0
        for file in try wanted() {
            try Task.checkCancellation()
            let room = try options.fileCacheBytes - files.cachedBytes()
            guard file.size <= room, try files.local(file.digest, in: file.project, at: wallTime) == nil else {
                continue
            }
            do {
                let download = FileDownload(session: session, options: options)
                _ = try await download.run(file.digest, of: file.project, most: room)
                count += 1
                deferred[file] = nil
            } catch SyncError.refused(403...404, _, _), SyncError.violation {
                putOff(file)
            } catch is FileDownload.NoRoom {
                putOff(file)
            } catch SyncError.gaveUp(let reason) {
                // It may be the network's fault, and then all are read as soon as that is back.
                deferred[file] = (session.environment.now() + Self.shortestPause, Self.shortestPause)
                throw SyncError.gaveUp(reason: reason)
            } catch let error as FileError {
                putOff(file)
                throw error
            }
        }
        return count
    }

    /// It is tried less and less often.
    private mutating func putOff(_ file: WantedFile) {
        let pause = min(deferred[file].map { $0.pause * 2 } ?? Self.shortestPause, Self.longestPause)
        deferred[file] = (session.environment.now() + pause, pause)
    }

    private var wallTime: Instant { session.environment.wallClock() }

    private func wanted() throws -> [WantedFile] {
        let schema = try session.replica.schema()
        let own = try session.replica.state().project
        let now = session.environment.now()
        var wanted: [WantedFile] = []
        try session.replica.read { db in
            try FileRows(schema, db).visitAbsent(inAllProjects: own == nil) { file in
                guard wanted.count < Self.most, let project = own ?? file.row[ProjectColumn.name]?.string else {
                    return
                }
                let wish = WantedFile(digest: file.digest, project: project, size: file.size ?? Self.usualSize)
                if deferred[wish].map({ $0.due <= now }) ?? true, kept.keep(file.row, of: file.collection) {
                    wanted.append(wish)
                }
            }
        }
        return wanted
    }
}

/// A file that a row names, and that the server has.
private struct WantedFile: Hashable {
    let digest: String
    let project: String
    let size: Int64
}
