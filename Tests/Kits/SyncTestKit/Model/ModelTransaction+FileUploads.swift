import SyncProtocol
import SyncStore

extension ModelTransaction {
    private var unfinished: [FileUpload] { state.uploads.values.filter { $0.finishedAt == nil } }

    // MARK: Reads

    func fileUpload(_ id: String) -> FileUpload? { state.uploads[id] }

    func parts(ofUpload id: String) -> [FileUpload.Part] { state.uploadParts[id] ?? [] }

    func unfinishedUpload(of digest: String, to project: String, by user: Int64) -> FileUpload? {
        let own = unfinished.filter { $0.digest == digest && $0.project == project && $0.user == user }
        return own.min { ($1.movedAt, $0.id) < ($0.movedAt, $1.id) }
    }

    func uploadUse(of user: Int64, quietSince quiet: Instant) -> FileUse {
        use(unfinished.filter { $0.user == user }, quiet)
    }

    func uploadUse(in project: String, quietSince quiet: Instant) -> FileUse {
        use(unfinished.filter { $0.project == project }, quiet)
    }

    private func use(_ uploads: [FileUpload], _ quiet: Instant) -> FileUse {
        FileUse(
            files: uploads.count,
            bytes: uploads.map { $0.movedAt < quiet ? $0.received : $0.reserved }.reduce(0, +))
    }

    func oldUploads(movedBefore: Instant, finishedBefore: Instant, limit: Int) -> [FileUpload] {
        let old = state.uploads.values.filter { upload in
            upload.movedAt < movedBefore || upload.finishedAt.map { $0 < finishedBefore } ?? false
        }
        return Array(old.sorted { ($0.movedAt, $0.id) < ($1.movedAt, $1.id) }.prefix(limit))
    }

    func knownParts(among names: [String]) -> Set<String> {
        Set(names).intersection(state.uploadParts.values.joined().map(\.name))
    }

    // MARK: Writes

    func add(_ upload: FileUpload) { state.uploads[upload.id] = upload }

    func takeTurn(ofUpload id: String) -> FileUpload? {
        state.uploads[id]?.turn += 1
        return state.uploads[id]
    }

    func note(_ part: FileUpload.Part, ofUpload id: String, at now: Instant) {
        var parts = state.uploadParts[id] ?? []
        parts.removeAll { $0.name == part.name }
        parts.append(part)
        state.uploadParts[id] = parts
        state.uploads[id]?.received = parts.map(\.bytes).reduce(0, +)
        state.uploads[id]?.movedAt = now
    }

    func finish(_ upload: FileUpload, bytes: Int64, at now: Instant) {
        state.uploadParts[upload.id] = nil
        state.uploads[upload.id]?.received = bytes
        state.uploads[upload.id]?.finishedAt = now
    }

    func forget(_ upload: FileUpload) {
        state.uploadParts[upload.id] = nil
        state.uploads[upload.id] = nil
    }
}
