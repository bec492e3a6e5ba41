public import Foundation

/// Where the secrets of accounts lie: files, or a system's keychain. Each secret has a name of letters, digits, `_`,
/// `.` and `-`, and a few hundred bytes.
public protocol SecretStore: Sendable {
    /// The names of all secrets.
    func names() throws -> [String]

    /// Nil if there is none of this name.
    func secret(named name: String) throws -> Data?

    /// Replaces the secret. It is durable when this returns: a token that was used and not stored ends the session.
    func store(_ secret: Data, named name: String) throws

    /// Repeating the call changes nothing.
    func remove(named name: String) throws

    /// The path of a file by which all processes that share the secret take turns. It is made if it is missing.
    func lockPath(named name: String) -> String
}

/// Secrets as files in a folder, which only the file's owner can read. For tools, servers and tests; an app on a phone
/// has a keychain.
public struct FileSecretStore: SecretStore {
    private static let suffix = ".secret"

    private let folder: String

    /// Makes the folder, if it is missing, for this user alone. Throws the file system's errors.
    public init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    public func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    public func secret(named name: String) throws -> Data? {
        guard FileManager.default.fileExists(atPath: path(name)) else { return nil }
        return try Data(contentsOf: URL(filePath: path(name)))
    }

    /// Writes another file, forces it to the disk, and gives it the name.
    public func store(_ secret: Data, named name: String) throws {
        let next = path(name) + "-next"
        try? FileManager.default.removeItem(atPath: next)
        guard FileManager.default.createFile(atPath: next, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw AccountError.unusableSecrets(path: next)
        }
        let file = try FileHandle(forWritingTo: URL(filePath: next))
        do {
            try file.write(contentsOf: secret)
            try file.synchronize()
            try file.close()
        } catch {
            try? file.close()
            throw error
        }
        guard rename(next, path(name)) == 0 else { throw AccountError.unusableSecrets(path: path(name)) }
        synchronizeFolder()
    }

    public func remove(named name: String) throws {
        guard FileManager.default.fileExists(atPath: path(name)) else { return }
        try FileManager.default.removeItem(atPath: path(name))
        synchronizeFolder()
    }

    public func lockPath(named name: String) -> String { path(name) + "-lock" }

    private func path(_ name: String) -> String { "\(folder)/\(name)\(Self.suffix)" }

    /// The new name is on the disk, too.
    private func synchronizeFolder() {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}
