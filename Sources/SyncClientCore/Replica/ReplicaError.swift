import GRDB

/// Why a replica file can't be used.
public enum ReplicaError: Error, Sendable, Equatable {
    /// The file belongs to another project.
    case otherProject(path: String, bound: String, asked: String)
    /// The file holds all projects and not the one that was asked for, or one project (`bound`) and not all.
    case otherScope(path: String, bound: SyncScope, asked: SyncScope)
    /// The file holds the projects of another user than the one whose token was given.
    case otherUser(path: String)
    /// So many edits and copies set aside are from before anybody had logged in. Nothing was sent or changed: ask the
    /// user whose they are, call `Replica.adoptUnclaimed()` or `Replica.discardUnclaimed()`, and sync again.
    case unclaimedEdits(Int)
    /// A batch was sent and not answered. The replica can't hold something else before that.
    case batchWaits(path: String)
    /// There is no file at the path.
    case missing(path: String)
    /// The file is a database, but not a replica.
    case notAReplica(path: String)
    /// A newer version of this library wrote the file.
    case newerFormat(path: String)
    /// Another process held the file locked for too long. Worth a retry.
    case busy(path: String)
    /// `Replica.suspendShared()` was called, and the file must not be written to. Nothing was. Call
    /// `Replica.resumeShared()` when the app runs again, and repeat the call.
    case suspended(path: String)
    /// The operating system does not let the file be used.
    case unusable(path: String, reason: String)
    /// The file's content is inconsistent.
    case damaged(path: String)
    /// The server changed the type of a field, and the column can't change with it.
    case columnChanged(collection: String, column: String)
    /// The replica has no collection of this name.
    case unknownCollection(String)
    /// The collection has no field of this name.
    case unknownField(String, collection: String)
}

extension ReplicaError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .otherProject(let path, let bound, let asked):
            "\(path) is a replica of project \(bound), not of \(asked). Name another file, or pull project \(bound)."
        case .otherScope(let path, .project(let bound), _):
            "\(path) is a replica of project \(bound) alone. `tidemark sync --all` makes it one of all projects."
        case .otherScope(let path, .allProjects, let asked):
            "\(path) is a replica of all projects. Sync it with --all, or pull "
                + "\(asked.project.map { "project \($0)" } ?? "the project") into another file."
        case .otherUser(let path):
            "\(path) holds the projects of another user. Use that user's token, or pull into another file."
        case .unclaimedEdits(1):
            "1 edit was made here before anybody signed in. Keep it as yours, or discard it."
        case .unclaimedEdits(let count):
            "\(count) edits were made here before anybody signed in. Keep them as yours, or discard them."
        case .batchWaits(let path):
            "\(path) has edits that were sent and not answered. Send them again to the same project first."
        case .missing(let path): "There is no replica at \(path). Make one with `tidemark pull`."
        case .notAReplica(let path): "\(path) is not a replica. Name another file."
        case .newerFormat(let path):
            "\(path) was written by a newer version. Update this program, or pull into another file."
        case .busy(let path): "Another process keeps \(path) locked. Try again when it is done."
        case .suspended(let path):
            "\(path) is not written to while the app is suspended. Resume the replicas when it runs, and repeat this."
        case .unusable(let path, let reason): "\(path) can't be used: \(reason)."
        case .damaged(let path):
            "\(path) is damaged. Pull into another file, and keep this one: only it has the edits that were not sent."
        case .columnChanged(let collection, let column):
            "The server changed the type of \(collection).\(column). Push the unsent edits, then pull into a new file."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        case .unknownField(let name, let collection): "`\(collection)` has no field `\(name)` in the replica."
        }
    }
}

extension ReplicaError {
    /// Throws `otherProject` or `otherScope` unless a replica of `bound` is one of `asked`.
    static func check(_ path: String, _ bound: SyncScope, isOf asked: SyncScope) throws {
        guard bound != asked else { return }
        guard let bound = bound.project, let asked = asked.project else {
            throw otherScope(path: path, bound: bound, asked: asked)
        }
        throw otherProject(path: path, bound: bound, asked: asked)
    }

    /// Runs `body`, and turns SQLite's errors about the file at `path` into a `ReplicaError`.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw ReplicaError(error, path: path)
        }
    }

    private init(_ error: DatabaseError, path: String) {
        switch error.resultCode {
        case .SQLITE_NOTADB: self = .notAReplica(path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
        case .SQLITE_ABORT, .SQLITE_INTERRUPT: self = .suspended(path: path)
        case .SQLITE_FULL: self = .unusable(path: path, reason: "the disk is full")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            self = .unusable(path: path, reason: "this user may not read and write it, or may not write to its folder")
        case .SQLITE_IOERR: self = .unusable(path: path, reason: "the disk failed to read or write it")
        case .SQLITE_NOMEM: self = .unusable(path: path, reason: "there is not enough memory")
        default: self = .damaged(path: path)
        }
    }
}
