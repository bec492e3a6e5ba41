import GRDB

/// Why a replica file can't be used.
public enum ReplicaError: Error, Sendable, Equatable {
    /// The file belongs to another project.
    case otherProject(path: String, bound: String, asked: String)
    /// There is no file of that name.
    case missing(path: String)
    /// The file is a database, but not a replica.
    case notAReplica(path: String)
    /// A newer version of this library wrote the file.
    case newerFormat(path: String)
    /// Another process kept writing.
    case busy(path: String)
    /// The operating system refuses the file.
    case unusable(path: String, reason: String)
    /// What is in the file contradicts itself.
    case damaged(path: String)
    /// The server changed a field's type; a column can't follow.
    case columnChanged(collection: String, column: String)
    /// The replica has no such collection.
    case unknownCollection(String)
}

extension ReplicaError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .otherProject(let path, let bound, let asked):
            "\(path) is a replica of project \(bound), not of \(asked). Name another file, or pull project \(bound)."
        case .missing(let path): "There is no replica at \(path). Make one with `tidemark pull`."
        case .notAReplica(let path): "\(path) is a database of something else. Name another file for the replica."
        case .newerFormat(let path): "\(path) was written by a newer version. Update, or pull into another file."
        case .busy(let path): "Another process keeps \(path) locked. Try again when it is done."
        case .unusable(let path, let reason): "\(path) can't be used: \(reason)."
        case .damaged(let path): "\(path) is damaged. Pull into another file; what was not sent is in this one alone."
        case .columnChanged(let collection, let column):
            "The server changed the type of \(collection).\(column). Push what is unsent, then pull into a new file."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        }
    }
}

extension ReplicaError {
    /// Runs `body`; what SQLite says of the file at `path` is thrown as one of ours.
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
        case .SQLITE_FULL: self = .unusable(path: path, reason: "the disk is full")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN:
            self = .unusable(path: path, reason: "this user may not read and write it, or may not write to its folder")
        case .SQLITE_IOERR: self = .unusable(path: path, reason: "the disk failed to read or write it")
        case .SQLITE_NOMEM: self = .unusable(path: path, reason: "there is not enough memory")
        default: self = .damaged(path: path)
        }
    }
}
