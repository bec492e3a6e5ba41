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
        case .columnChanged(let collection, let column):
            "The server changed the type of \(collection).\(column). Push what is unsent, then pull into a new file."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        }
    }
}
