import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func storage(countingUpTo most: Int) throws -> InstallationStorage {
        try forward { try $0.storage(countingUpTo: most) }
    }
    func storage(
        of project: String, growingFrom number: CommitNumber?, countingUpTo most: Int
    ) throws -> ProjectStorage {
        try forward { try $0.storage(of: project, growingFrom: number, countingUpTo: most) }
    }
    func firstNumber(from date: Instant) throws -> CommitNumber? { try forward { try $0.firstNumber(from: date) } }
    func lostEdits(_ selection: LostEditSelection, limit: Int) throws -> [LostEditNote] {
        try forward { try $0.lostEdits(selection, limit: limit) }
    }
}

/// Files.
extension ForwardingTransaction {
    func file(_ digest: String, of project: String) throws -> StoredFile? {
        try forward { try $0.file(digest, of: project) }
    }
    func hasSent(_ digest: String, to project: String, by user: Int64) throws -> Bool {
        try forward { try $0.hasSent(digest, to: project, by: user) }
    }
    func namedFile(_ digest: String, of project: String, by key: RowKey, field: String) throws -> NamedFile? {
        try forward { try $0.namedFile(digest, of: project, by: key, field: field) }
    }
    func namedFiles(
        _ digest: String, of project: String, isStored: Bool, after: NamedFile?, limit: Int
    ) throws -> [NamedFile] {
        try forward { try $0.namedFiles(digest, of: project, isStored: isStored, after: after, limit: limit) }
    }
    func fileUse(of project: String) throws -> FileUse { try forward { try $0.fileUse(of: project) } }
    func knownPlaces(among places: [String]) throws -> Set<String> {
        try forward { try $0.knownPlaces(among: places) }
    }
    func storedFiles(areMissing: Bool, after: StoredFile?, limit: Int) throws -> [StoredFile] {
        try forward { try $0.storedFiles(areMissing: areMissing, after: after, limit: limit) }
    }
    func filesComparedAt() throws -> Instant? { try forward { try $0.filesComparedAt() } }

    func add(_ file: StoredFile) throws { try forward { try $0.add(file) } }
    func noteSender(of digest: String, to project: String, _ user: Int64) throws {
        try forward { try $0.noteSender(of: digest, to: project, user) }
    }
    func name(_ files: [NamedFile], in project: String) throws { try forward { try $0.name(files, in: project) } }
    func unname(_ files: [NamedFile], in project: String) throws { try forward { try $0.unname(files, in: project) } }
    func unnameAllFiles(of project: String, at date: Instant) throws {
        try forward { try $0.unnameAllFiles(of: project, at: date) }
    }
    func markUnnamed(_ digests: Set<String>, of project: String, at date: Instant) throws {
        try forward { try $0.markUnnamed(digests, of: project, at: date) }
    }
    func forget(_ file: StoredFile) throws { try forward { try $0.forget(file) } }
    func noteMissing(_ file: StoredFile, at date: Instant) throws {
        try forward { try $0.noteMissing(file, at: date) }
    }
    func forgetMissing(before date: Instant) throws { try forward { try $0.forgetMissing(before: date) } }
    func noteFilesCompared(at date: Instant) throws { try forward { try $0.noteFilesCompared(at: date) } }
}

/// Uploads of files.
extension ForwardingTransaction {
    func fileUpload(_ id: String) throws -> FileUpload? { try forward { try $0.fileUpload(id) } }
    func parts(ofUpload id: String) throws -> [FileUpload.Part] { try forward { try $0.parts(ofUpload: id) } }
    func unfinishedUpload(of digest: String, to project: String, by user: Int64) throws -> FileUpload? {
        try forward { try $0.unfinishedUpload(of: digest, to: project, by: user) }
    }
    func uploadUse(of user: Int64, quietSince quiet: Instant) throws -> FileUse {
        try forward { try $0.uploadUse(of: user, quietSince: quiet) }
    }
    func uploadUse(in project: String, quietSince quiet: Instant) throws -> FileUse {
        try forward { try $0.uploadUse(in: project, quietSince: quiet) }
    }
    func oldUploads(movedBefore: Instant, finishedBefore: Instant, limit: Int) throws -> [FileUpload] {
        try forward { try $0.oldUploads(movedBefore: movedBefore, finishedBefore: finishedBefore, limit: limit) }
    }
    func knownParts(among names: [String]) throws -> Set<String> { try forward { try $0.knownParts(among: names) } }

    func add(_ upload: FileUpload) throws { try forward { try $0.add(upload) } }
    func takeTurn(ofUpload id: String) throws -> FileUpload? { try forward { try $0.takeTurn(ofUpload: id) } }
    func note(_ part: FileUpload.Part, ofUpload id: String, at date: Instant) throws {
        try forward { try $0.note(part, ofUpload: id, at: date) }
    }
    func finish(_ upload: FileUpload, bytes: Int64, at date: Instant) throws {
        try forward { try $0.finish(upload, bytes: bytes, at: date) }
    }
    func forget(_ upload: FileUpload) throws { try forward { try $0.forget(upload) } }
}
