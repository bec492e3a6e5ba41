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
    /// What the server does not give, or gives damaged, is not asked for again.
    private var refused: Set<WantedFile> = []
    /// What a file counts whose row tells no size.
    private static let usualSize: Int64 = 1 << 20
    private var files: Files { session.replica.files }

    init(_ session: Session, options: SyncOptions, kept: KeptFiles) {
        self.session = session
        self.options = options
        self.kept = kept
    }

    /// Returns how many files were read. Throws what `Syncer.openFile` throws, except for what the server refuses or
    /// gives damaged: that holds up no other file.
    mutating func run() async throws -> Int {
        var count = 0
        for file in try wanted() {
            try Task.checkCancellation()
            guard try hasRoom(for: file), try files.local(file.digest, in: file.project, at: now) == nil else {
                continue
            }
            do {
                _ = try await FileDownload(session: session, options: options).run(file.digest, of: file.project)
                count += 1
            } catch SyncError.refused(403...404, _, _), SyncError.violation {
                refused.insert(file)
            }
        }
        return count
    }

    private var now: Instant { session.environment.wallClock() }

    private func hasRoom(for file: WantedFile) throws -> Bool {
        let cached = try session.replica.read { try FileTable(db: $0).stored() }.reduce(0) { $0 + $1.size }
        return cached + file.size <= options.fileCacheBytes
    }

    private func wanted() throws -> [WantedFile] {
        let schema = try session.replica.schema()
        let own = try session.replica.state().project
        var wanted: [WantedFile] = []
        try session.replica.read { db in
            try FileRows(schema, db).visitAbsent(inAllProjects: own == nil) { file in
                guard wanted.count < Self.most, let project = own ?? file.row[ProjectColumn.name]?.string else {
                    return
                }
                let wish = WantedFile(digest: file.digest, project: project, size: file.size ?? Self.usualSize)
                if !refused.contains(wish), kept.keep(file.row, of: file.collection) { wanted.append(wish) }
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
