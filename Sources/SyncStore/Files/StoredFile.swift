package import SyncProtocol

/// A file that the server has for a project. The bytes are in the file store, under `place`.
package struct StoredFile: Sendable, Equatable {
    package let project: String
    /// The SHA-256 of the bytes, in 64 lower-case hex digits.
    package let digest: String
    /// In bytes.
    package let size: Int64
    /// The name in the file store. A name is never used twice.
    package let place: String
    /// Since when no live row of the project names it; nil while one does.
    package let unnamedSince: Instant?

    package init(project: String, digest: String, size: Int64, place: String, unnamedSince: Instant?) {
        self.project = project
        self.digest = digest
        self.size = size
        self.place = place
        self.unnamedSince = unnamedSince
    }
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

/// What a project's files come to, named or not.
package struct FileUse: Sendable, Equatable {
    package var files = 0
    package var bytes: Int64 = 0

    package init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }
}

/// Reads of what is recorded of files. Their bytes are in a file store.
package protocol FileReads {
    /// The project's file with that digest; nil if the server does not have it.
    func file(_ digest: String, of project: String) throws -> StoredFile?
    /// Whether the user has sent the file, which the project has, to the project.
    func hasSent(_ digest: String, to project: String, by user: Int64) throws -> Bool
    /// What is recorded of the row's field; nil if it does not name this file.
    func namedFile(_ digest: String, of project: String, by key: RowKey, field: String) throws -> NamedFile?
    /// The fields of live rows that name the file, sorted by collection, id and field; only those that are stored, or
    /// only those that are not.
    func namedFiles(
        _ digest: String, of project: String, isStored: Bool, after: NamedFile?, limit: Int
    ) throws -> [NamedFile]
    /// The number and the bytes of the project's files, from counters.
    func fileUse(of project: String) throws -> FileUse
    /// Files of all projects that no live row has named since before `date`, those that have been so longest first.
    func unnamedFiles(before date: Instant, limit: Int) throws -> [StoredFile]
    /// Which of these places hold a file of some project, missing ones included.
    func knownPlaces(among places: [String]) throws -> Set<String>
    /// Files of all projects, sorted by project and digest: those whose bytes are missing, or those whose bytes are not
    /// known to be.
    func storedFiles(areMissing: Bool, after: StoredFile?, limit: Int) throws -> [StoredFile]
    /// Whether what is recorded of files has to be compared with the file store, since the database was restored.
    func comparesFiles() throws -> Bool
    /// When that was last done; nil if the database was never restored.
    func filesComparedAt() throws -> Instant?
}

/// Changes of what is recorded of files. A write of the project makes them.
package protocol FileWrites {
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
