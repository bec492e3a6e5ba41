import SyncProtocol
import SyncStore

extension ModelTransaction {
    // MARK: Reads

    func file(_ digest: String, of project: String) -> StoredFile? { state.files[project]?[digest] }

    func hasSent(_ digest: String, to project: String, by user: Int64) -> Bool {
        state.fileSenders.contains([project, digest, String(user)])
    }

    func namedFile(_ digest: String, of project: String, by key: RowKey, field: String) -> NamedFile? {
        state.namedFiles[project]?.first { $0.digest == digest && $0.key == key && $0.field == field }
    }

    func namedFiles(
        _ digest: String, of project: String, isStored: Bool, after: NamedFile?, limit: Int
    ) -> [NamedFile] {
        let start = after.map(\.place) ?? []
        let found = (state.namedFiles[project] ?? []).filter {
            $0.digest == digest && $0.isStored == isStored && start.lexicographicallyPrecedes($0.place)
        }
        return Array(found.sorted { $0.place.lexicographicallyPrecedes($1.place) }.prefix(limit))
    }

    func fileUse(of project: String) -> FileUse {
        let files = (state.files[project] ?? [:]).values
        return FileUse(files: files.count, bytes: files.map(\.size).reduce(0, +))
    }

    func unnamedFiles(before date: Instant, limit: Int) -> [StoredFile] {
        let found = state.files.values.flatMap(\.values).compactMap { file in
            file.unnamedSince.flatMap { $0 < date ? (since: $0, file: file) : nil }
        }
        let sorted = found.sorted {
            ($0.since, $0.file.project, $0.file.digest) < ($1.since, $1.file.project, $1.file.digest)
        }
        return sorted.prefix(limit).map(\.file)
    }

    func knownPlaces(among places: [String]) -> Set<String> {
        let missing = state.missingFiles.values.flatMap(\.values).map(\.file)
        return Set(places).intersection((state.files.values.flatMap(\.values) + missing).map(\.place))
    }

    func storedFiles(areMissing: Bool, after: StoredFile?, limit: Int) -> [StoredFile] {
        let all =
            areMissing
            ? state.missingFiles.values.flatMap(\.values).map(\.file) : state.files.values.flatMap(\.values)
        let start = after.map { ($0.project, $0.digest) } ?? ("", "")
        let later = all.filter { ($0.project, $0.digest) > start }
        return Array(later.sorted { ($0.project, $0.digest) < ($1.project, $1.digest) }.prefix(limit))
    }

    /// A model is never restored.
    func comparesFiles() -> Bool { false }

    func filesComparedAt() -> Instant? { state.filesComparedAt }

    // MARK: Writes

    func add(_ file: StoredFile) {
        state.missingFiles[file.project]?[file.digest] = nil
        state.files[file.project, default: [:]][file.digest] = file
    }

    func noteSender(of digest: String, to project: String, _ user: Int64) {
        state.fileSenders.insert([project, digest, String(user)])
    }

    func name(_ files: [NamedFile], in project: String) {
        unname(files, in: project)
        state.namedFiles[project, default: []].formUnion(files)
    }

    func unname(_ files: [NamedFile], in project: String) {
        let gone = Set(files.map { $0.place + [$0.digest] })
        state.namedFiles[project] = state.namedFiles[project]?.filter { !gone.contains($0.place + [$0.digest]) }
    }

    func unnameAllFiles(of project: String, at now: Instant) {
        state.namedFiles[project] = nil
        markUnnamed(Set((state.files[project] ?? [:]).keys), of: project, at: now)
    }

    func markUnnamed(_ digests: Set<String>, of project: String, at now: Instant) {
        for digest in digests {
            guard let file = state.files[project]?[digest] else { continue }
            let isNamed = (state.namedFiles[project] ?? []).contains { $0.digest == digest }
            state.files[project]?[digest] = StoredFile(
                project: project, digest: digest, size: file.size, place: file.place,
                unnamedSince: isNamed ? nil : file.unnamedSince ?? now)
        }
    }

    func forget(_ file: StoredFile) {
        guard state.files[file.project]?[file.digest] != nil else { return }
        state.files[file.project]?[file.digest] = nil
        forgetSenders(of: file)
    }

    func noteMissing(_ file: StoredFile, at now: Instant) {
        guard state.files[file.project]?[file.digest] != nil else { return }
        state.files[file.project]?[file.digest] = nil
        state.missingFiles[file.project, default: [:]][file.digest] = (file, now)
    }

    func forgetMissing(before date: Instant) {
        for (file, since) in state.missingFiles.values.flatMap(\.values) where since < date {
            state.missingFiles[file.project]?[file.digest] = nil
            forgetSenders(of: file)
        }
    }

    func noteFilesCompared(at now: Instant) { state.filesComparedAt = now }

    private func forgetSenders(of file: StoredFile) {
        state.fileSenders = state.fileSenders.filter { Array($0.prefix(2)) != [file.project, file.digest] }
    }
}

extension NamedFile {
    fileprivate var place: [String] { [key.collection, key.id, field] }
}
