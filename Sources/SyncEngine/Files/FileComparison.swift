import SyncProtocol
package import SyncSchema
package import SyncStore

/// Compares what is recorded of files with the file store. A restore goes back behind sweeps and uploads, and somebody
/// may bring a database without its files. Rows whose bytes are missing become `pending`, so whoever has set the field
/// sends them again. If they turn up under their old name, the rows are `stored` again.
package struct FileComparison<Store: SyncStore>: Sendable {
    /// What a comparison has found.
    package struct Report: Sendable, Equatable {
        /// How many files are missing that were not known to be.
        package var missing = 0
        /// How many are there again.
        package var found = 0
    }

    private static var batch: Int { 500 }

    private let store: Store
    private let files: any FileStore
    private let registry: Registry
    private let clock: WallClock
    private var settling: FileSettling<Store> { FileSettling(store: store, registry: registry, clock: clock) }

    package init(store: Store, files: any FileStore, registry: Registry, clock: WallClock) {
        self.store = store
        self.files = files
        self.registry = registry
        self.clock = clock
    }

    /// Looks for files that are known to be missing, and, if the database was restored since the last time, for all
    /// others. Can be stopped at any moment, and begins again then.
    package func run() async throws -> Report {
        var report = Report()
        try await visit(areMissing: true) { file in
            guard try await isThere(file) else { return }
            try await find(file)
            report.found += 1
        }
        guard try await store.read(.installation, { try $0.comparesFiles() }) else { return report }
        try await visit(areMissing: false) { file in
            if try await isThere(file) { return }
            try await settling.unsettle(file)
            report.missing += 1
        }
        try await store.write(.installation) { transaction in
            // Another server may have done so since.
            guard try transaction.comparesFiles() else { return }
            try transaction.noteFilesCompared(at: transaction.now(by: clock))
        }
        return report
    }

    private func isThere(_ file: StoredFile) async throws -> Bool {
        try await files.size(of: file.place) == file.size
    }

    private func visit(areMissing: Bool, _ body: (StoredFile) async throws -> Void) async throws {
        var last: StoredFile?
        while true {
            let after = last
            let found = try await store.read(.installation) {
                try $0.storedFiles(areMissing: areMissing, after: after, limit: Self.batch)
            }
            for file in found {
                try Task.checkCancellation()
                try await body(file)
            }
            guard found.count == Self.batch else { return }
            last = found.last
        }
    }

    /// Records a file that was missing. It counts, whatever the limit is now: it is there.
    private func find(_ file: StoredFile) async throws {
        let author = try await store.write(.project(file.project)) { transaction -> Int64? in
            let names = try transaction.namedFiles(
                file.digest, of: file.project, isStored: false, after: nil, limit: 1)
            guard try transaction.file(file.digest, of: file.project) == nil else { return nil }
            try transaction.add(file)
            try transaction.markUnnamed([file.digest], of: file.project, at: transaction.now(by: clock))
            guard let author = names.first?.setBy else { return nil }
            try settling.settleSome(file.digest, of: file.project, author: author, in: transaction)
            return author
        }
        if let author { try await settling.settle(file.digest, of: file.project, author: author) }
    }
}
