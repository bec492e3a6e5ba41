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

    private let store: Store
    private let files: any FileStore
    private let clock: WallClock
    private let age: Duration

    /// `age` is how long an unnamed file stays.
    package init(store: Store, files: any FileStore, age: Duration, clock: WallClock) {
        self.store = store
        self.files = files
        self.age = age
        self.clock = clock
    }

    /// Can be stopped at any moment. Returns how many files were removed.
    package func run() async throws -> Int {
        let limit = clock.now().advanced(by: .zero - age)
        try await files.removeUnfinished(before: clock.now().advanced(by: .seconds(-86_400)))
        let isHeld = try await store.read(.installation) { transaction in
            try transaction.comparesFiles() || transaction.filesComparedAt().map { $0 > limit } ?? false
        }
        guard !isHeld else { return 0 }
        let unnamed = try await sweepUnnamed(before: limit)
        try await store.write(.installation) { try $0.forgetMissing(before: limit) }
        return try await unnamed + sweepUnknown(before: limit)
    }

    private func sweepUnnamed(before limit: Instant) async throws -> Int {
        var removed = 0
        while true {
            try Task.checkCancellation()
            let found = try await store.read(.installation) {
                try $0.unnamedFiles(before: limit, limit: FileSweep.batch)
            }
            for file in found {
                let isForgotten = try await store.write(.project(file.project)) { transaction in
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
        try await files.visitPlaces(keptBefore: limit) { places in
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
