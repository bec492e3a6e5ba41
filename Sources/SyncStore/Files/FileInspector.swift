/// Looks at the bytes of files for a check. Calls block, so they are made off Swift's own threads. All methods throw a
/// `StoreError`.
package protocol FileInspector: Sendable {
    /// Where the files are, for people.
    var name: String { get }
    /// What is wrong with the bytes of the file; nil if nothing is.
    func fault(of file: StoredFile) throws -> FileFault?
    /// Calls `body` with all files that are there, by place, with their sizes: those that begin with the same prefix at
    /// once.
    func visit(_ body: (_ prefix: String, _ files: [String: Int64]) throws -> Void) throws
}

/// What can be wrong with the bytes of a file.
package enum FileFault: Sendable, Equatable {
    case missing
    /// Their number or their digest is another one.
    case damaged
}
