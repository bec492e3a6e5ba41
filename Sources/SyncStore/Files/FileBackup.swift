/// Copies files that a database names to where its backups are. Calls block, so they are made off Swift's own threads.
/// All methods throw a `StoreError`.
package protocol FileBackup: Sendable {
    /// Copies the file, unless the copy is there already.
    func copy(_ file: StoredFile) throws -> FileCopy
    /// When this returns, neither a crash nor a power cut loses what was copied.
    func finish() throws
    /// Removes the copies that are not kept. `kept` returns the places that are, of those that begin with a prefix.
    func prune(_ kept: (_ prefix: String) throws -> Set<String>) throws
}

/// What became of a file that was to be copied.
package enum FileCopy: Sendable, Equatable {
    /// It was copied.
    case copied
    /// The copy was there.
    case there
    /// Its bytes are missing, or are not those that were sent.
    case lost
}

/// What a backup did with the files that the database names.
package struct FileCopies: Sendable, Equatable {
    /// How many files the backup has, those that were there included.
    package private(set) var files = 0
    /// How many were copied, and their bytes.
    package private(set) var copied = 0
    package private(set) var copiedBytes: Int64 = 0
    /// How many could not be copied, because their bytes are missing or damaged.
    package private(set) var lost = 0

    package init() {}

    package mutating func add(_ file: StoredFile, _ copy: FileCopy) {
        switch copy {
        case .there: files += 1
        case .copied: (files, copied, copiedBytes) = (files + 1, copied + 1, copiedBytes + file.size)
        case .lost: lost += 1
        }
    }
}
