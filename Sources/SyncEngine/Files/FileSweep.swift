import SyncProtocol
package import SyncStore

/// Removes files that no row has named for some time, and bytes that the database does not know.
///
/// The database forgets a file first, then its bytes go. What a crash leaves between the two is found like everything
/// that the database does not know. It stays as long as an unnamed file: a database that is restored may know it again.
/// After a restore nothing is removed for that long, since a later backup may follow that knows more.
package struct FileSweep<Store: SyncStore>: Sendable {
    /// How many files one read looks for.
    private static var batch: Int { 100 }
    /// How long bytes stay of which the database does not know: somebody may be about to record them.
    private static var margin: Duration { .seconds(86_400) }

    private let store: Store
    private let files: any FileStore
    private let clock: WallClock
    private let age: Duration
    private let uploadAge: Duration

    /// `age` is how long an unnamed file stays, and `uploadAge` how long an upload that gets no bytes.
    package init(store: Store, files: any FileStore, age: Duration, uploadAge: Duration, clock: WallClock) {
        self.store = store
        self.files = files
        self.age = age
        self.uploadAge = uploadAge
        self.clock = clock
    }

    /// Can be stopped at any moment. `age` is in place of the sweep's own. Returns how many files were removed.
    package func run(olderThan age: Duration? = nil) async throws -> Int {
        let limit = clock.now().advanced(by: .zero - (age ?? self.age))
        try await sweepUploads()
        let isHeld = try await store.read(.installation) { transaction in
            try transaction.comparesFiles() || transaction.filesComparedAt().map { $0 > limit } ?? false
        }
        guard !isHeld else { return 0 }
        let unnamed = try await sweepUnnamed(before: limit)
        try await store.write(.installation, priority: .vital) { try $0.forgetMissing(before: limit) }
        return try await unnamed + sweepUnknown(before: limit)
    }

    /// Forgets old uploads, and removes what is unfinished and of no upload. Whoever begins a file records it soon.
    private func sweepUploads() async throws {
        let now = clock.now()
        let day = Duration.seconds(86_400)
        var old: [FileUpload] = []
        repeat {
            old = try await store.read(.installation) {
                try $0.oldUploads(
                    movedBefore: now.advanced(by: .zero - uploadAge), finishedBefore: now.advanced(by: .zero - day),
                    limit: FileSweep.batch)
            }
            for upload in old {
                try await store.write(.project(upload.project), priority: .vital) { transaction in
                    // It may have got bytes meanwhile.
                    guard let now = try transaction.fileUpload(upload.id), now.movedAt == upload.movedAt else { return }
                    try transaction.forget(upload)
                }
            }
        } while old.count == FileSweep.batch
        let names = try await files.unfinished(before: now.advanced(by: .zero - day))
        for start in stride(from: 0, to: names.count, by: FileSweep.batch) {
            let some = Array(names[start..<min(start + FileSweep.batch, names.count)])
            let known = try await store.read(.installation) { try $0.knownParts(among: some) }
            for name in some where !known.contains(name) { try await files.removeUnfinished(name) }
        }
    }

    private func sweepUnnamed(before limit: Instant) async throws -> Int {
        var removed = 0
        while true {
            try Task.checkCancellation()
            let found = try await store.read(.installation) {
                try $0.unnamedFiles(before: limit, limit: FileSweep.batch)
            }
            for file in found {
                let isForgotten = try await store.write(.project(file.project), priority: .vital) { transaction in
                    // Somebody may have named it meanwhile.
                    guard let now = try transaction.file(file.digest, of: file.project), now == file else {
                        return false
                    }
                    try transaction.forget(file)
                    return true
                }
                guard isForgotten else { continue }
                try await files.remove(file.place)
                removed += 1
            }
            guard found.count == FileSweep.batch else { return removed }
        }
    }

    private func sweepUnknown(before limit: Instant) async throws -> Int {
        var removed = 0
        let sure = clock.now().advanced(by: .zero - FileSweep.margin)
        try await files.visitPlaces(keptBefore: min(limit, sure)) { places in
            try Task.checkCancellation()
            let known = try await store.read(.installation) { try $0.knownPlaces(among: places) }
            for place in places where !known.contains(place) {
                try await files.remove(place)
                removed += 1
            }
        }
        return removed
    }
}
