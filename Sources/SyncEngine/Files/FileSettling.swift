import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Has rows say whether the server has the file that they name, when that changes without a write to them. Each commit
/// is for at most `batch` rows, so other writes get their turn.
struct FileSettling<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let clock: WallClock

    private static var batch: Int { 500 }

    /// Makes rows `stored` that name the file, and whose namers have sent it or may read it: a file that came may have
    /// been what they waited for. A row of somebody else may be what yet another one may read it by. `author` is on
    /// whose behalf the rows are changed.
    func settle(_ digest: String, of project: String, author: Int64) async throws {
        while true {
            let waiting = try await store.read(.project(project)) { transaction in
                try PendingNames(registry: registry, transaction: transaction, project: project)
                    .ready(digest, limit: Self.batch)
            }
            guard !waiting.isEmpty else { return }
            try await store.write(.project(project)) { transaction in
                let pending = PendingNames(registry: registry, transaction: transaction, project: project)
                let ready = try waiting.filter(pending.isReady)
                try tell(ready, isStored: true, of: project, author: author, transaction)
            }
        }
    }

    /// The same for the first of the rows whose namers have sent the file, as part of a write of the project: a crash
    /// after it does not leave these pending. It looks at `batch` rows, since it holds the writer.
    func settleSome(
        _ digest: String, of project: String, author: Int64, in transaction: any WriteTransaction
    ) throws {
        var senders: [Int64: Bool] = [:]
        let pending = try transaction.namedFiles(
            digest, of: project, isStored: false, after: nil, limit: Self.batch)
        let ready = try pending.filter { file in
            let hasSent = try senders[file.setBy] ?? transaction.hasSent(digest, to: project, by: file.setBy)
            senders[file.setBy] = hasSent
            return hasSent
        }
        guard !ready.isEmpty else { return }
        try tell(ready, isStored: true, of: project, author: author, transaction)
    }

    /// Makes rows `pending` that name the file, then records that its bytes are missing. Does nothing if they have come
    /// again under another name.
    func unsettle(_ file: StoredFile) async throws {
        var isDone = false
        while !isDone {
            isDone = try await store.write(.project(file.project)) { transaction in
                guard try transaction.file(file.digest, of: file.project)?.place == file.place else { return true }
                let names = try transaction.namedFiles(
                    file.digest, of: file.project, isStored: true, after: nil, limit: Self.batch)
                let isLast = names.count < Self.batch
                if isLast { try transaction.noteMissing(file, at: transaction.now(by: clock)) }
                if let author = names.first?.setBy {
                    try tell(names, isStored: false, of: file.project, author: author, transaction)
                }
                return isLast
            }
        }
    }

    private func tell(
        _ names: [NamedFile], isStored: Bool, of project: String, author: Int64, _ transaction: any WriteTransaction
    ) throws {
        try transaction.name(
            names.map {
                NamedFile(digest: $0.digest, key: $0.key, field: $0.field, setBy: $0.setBy, isStored: isStored)
            }, in: project)
        let draft = Draft(
            transaction, registry, project: project, author: author, now: try transaction.now(by: clock))
        for file in names where registry[file.key.collection] != nil { try draft.restamp(file.key) }
        _ = try draft.commit()
    }
}

/// Which fields that name a file of a project may become stored.
private struct PendingNames {
    let registry: Registry
    let transaction: any ReadTransaction
    let project: String

    /// At most `limit` of those that are pending and may be stored now; none if there are none.
    func ready(_ digest: String, limit: Int) throws -> [NamedFile] {
        guard try transaction.file(digest, of: project) != nil else { return [] }
        var namers: [Int64: Bool] = [:]
        var ready: [NamedFile] = []
        var last: NamedFile?
        while ready.count < limit {
            let found = try transaction.namedFiles(
                digest, of: project, isStored: false, after: last, limit: limit)
            for file in found {
                let mayRead = try namers[file.setBy] ?? mayName(digest, file.setBy)
                namers[file.setBy] = mayRead
                if mayRead { ready.append(file) }
            }
            guard found.count == limit else { break }
            last = found.last
        }
        return Array(ready.prefix(limit))
    }

    /// Whether the name is still there, is pending, and may be stored.
    func isReady(_ file: NamedFile) throws -> Bool {
        guard let now = try transaction.namedFile(file.digest, of: project, by: file.key, field: file.field),
            !now.isStored, now.setBy == file.setBy, try transaction.file(file.digest, of: project) != nil
        else { return false }
        return try mayName(file.digest, file.setBy)
    }

    private func mayName(_ digest: String, _ user: Int64) throws -> Bool {
        if try transaction.hasSent(digest, to: project, by: user) { return true }
        guard let user = try transaction.user(id: user), !user.isDisabled else { return false }
        let caller = Caller(userID: user.id, username: user.username, isSuperuser: user.isSuperuser)
        guard let access = try ProjectAccess.ifVisible(caller, project: project, in: transaction) else { return false }
        return try FileSight(access: access, registry: registry, transaction: transaction).reads(digest)
    }
}
