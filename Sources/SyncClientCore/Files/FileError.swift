/// Why a replica can't do something with a file. Nothing was changed.
public enum FileError: Error, Sendable, Equatable {
    /// The replica holds all projects, so it has to be said which one the file is for.
    case needsProject
    /// The replica is of another project.
    case otherProject(String)
    /// No project can have this id.
    case invalidProject(String)
    /// A digest is 64 digits of 0-9 and a-f.
    case noDigest(String)
    /// Nothing here is to be sent under this digest.
    case unknownFile(String)
    /// The bytes can't be read. The second value is why.
    case unreadable(path: String, reason: String)
    /// The bytes can't be stored. The second value is why.
    case notStored(path: String, reason: String)
    /// Somebody has removed the bytes from the replica's folder.
    case bytesLost(String)
}

extension FileError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .needsProject: "The replica holds all projects. Say which one the file is for."
        case .otherProject(let project): "The replica is not of the project \(project)."
        case .invalidProject(let project): "`\(project)` is no id of a project."
        case .noDigest(let text): "`\(text)` is no SHA-256: 64 digits of 0-9 and a-f."
        case .unknownFile(let digest): "The replica has no file \(digest) that is to be sent."
        case .unreadable(let path, let reason): "\(path) can't be read: \(reason)."
        case .notStored(let path, let reason): "\(path) can't be written: \(reason)."
        case .bytesLost(let digest): "The bytes of the file \(digest) are gone. Add it again."
        }
    }
}
