package import SyncProtocol

/// Changes of what is recorded of files. A write of the project makes them.
package protocol FileWrites: FileUploadWrites {
    /// Records a file that the project does not have yet, or whose bytes were missing, and counts it.
    func add(_ file: StoredFile) throws
    /// Records that the user has sent the project's file.
    func noteSender(of digest: String, to project: String, _ user: Int64) throws
    /// Records fields that name files, instead of what was recorded of these fields and digests.
    func name(_ files: [NamedFile], in project: String) throws
    /// Forgets that fields name files.
    func unname(_ files: [NamedFile], in project: String) throws
    /// Forgets all names of the project's files, which nobody names from now on.
    func unnameAllFiles(of project: String, at: Instant) throws
    /// Brings `unnamedSince` of these files in line with the names that are recorded.
    func markUnnamed(_ digests: Set<String>, of project: String, at: Instant) throws
    /// Forgets the file and who has sent it, and no longer counts it. Does nothing if the project does not have it.
    func forget(_ file: StoredFile) throws
    /// Records that the bytes of the file are missing. The project does not have it any more, and it is not counted;
    /// who has sent it is kept. Does nothing if the project does not have it.
    func noteMissing(_ file: StoredFile, at: Instant) throws
    /// Forgets files that have been missing since before the time, and who has sent them.
    func forgetMissing(before date: Instant) throws
    /// Records that files were compared with the file store.
    func noteFilesCompared(at: Instant) throws
}

/// A field of a live row that names a file, whether or not the server has it.
package struct NamedFile: Sendable, Hashable {
    package let digest: String
    package let key: RowKey
    package let field: String
    /// Who set the field: no matter who wrote to the row since.
    package let setBy: Int64
    /// Whether whoever sees the row may read the bytes. It is once whoever set the field has sent them to this project,
    /// or could read them there.
    package let isStored: Bool

    package init(digest: String, key: RowKey, field: String, setBy: Int64, isStored: Bool) {
        self.digest = digest
        self.key = key
        self.field = field
        self.setBy = setBy
        self.isStored = isStored
    }
}
