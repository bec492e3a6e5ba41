package import SyncProtocol

/// Reads of what is recorded of files. Their bytes are in a file store.
package protocol FileReads: FileUploadReads {
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
    /// The number and the bytes of the project's files, named or not, from counters.
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

/// How many files there are, and how many bytes they have.
package struct FileUse: Sendable, Equatable {
    package var files = 0
    package var bytes: Int64 = 0

    package init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }

    package static func + (one: FileUse, other: FileUse) -> FileUse {
        FileUse(files: one.files + other.files, bytes: one.bytes + other.bytes)
    }
}
