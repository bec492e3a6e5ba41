package import SyncStore

/// Looks at the files of a `FileFolder`.
package struct FolderInspector: FileInspector {
    private let files: FolderFiles
    private let readsBytes: Bool

    /// With `readsBytes`, the digest of each file is computed. Otherwise its size alone is compared.
    package init(_ folder: String, readsBytes: Bool = false) {
        files = FolderFiles(root: folder)
        self.readsBytes = readsBytes
    }

    package var name: String { files.root }

    package func fault(of file: StoredFile) -> FileFault? {
        guard let size = files.size(of: file.place) else { return .missing }
        guard size == file.size, !readsBytes || files.digest(of: file.place) == file.digest else { return .damaged }
        return nil
    }

    package func visit(_ body: (_ prefix: String, _ files: [String: Int64]) throws -> Void) throws {
        for prefix in files.prefixes() { try body(prefix + "/", files.files(prefix)) }
    }
}
