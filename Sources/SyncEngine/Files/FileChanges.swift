import SyncProtocol
import SyncSchema
import SyncStore

/// What a commit changes in the names of a project's files.
struct FileChanges {
    fileprivate let project: String
    fileprivate let now: Instant
    fileprivate var named: [NamedFile] = []
    fileprivate var unnamed: [NamedFile] = []

    /// Records the changes.
    func write(to transaction: any WriteTransaction) throws {
        guard !named.isEmpty || !unnamed.isEmpty else { return }
        try transaction.unname(unnamed, in: project)
        try transaction.name(named, in: project)
        try transaction.markUnnamed(Set((named + unnamed).map(\.digest)), of: project, at: now)
    }
}

extension Draft {
    /// Has changed rows say whether the server has the files that they name, and how large these are. Returns the names
    /// that come and go.
    ///
    /// A field that is set now is stored if the author has sent the file to this project, or may read it there. It does
    /// not matter what anybody else has sent: nobody gets at bytes by naming them.
    func settleFiles() throws -> FileChanges {
        var changes = FileChanges(project: project, now: now)
        for collection in registry.collections where !collection.places.blobs.isEmpty {
            for key in entries.keys where key.collection == collection.name && entries[key]!.isDirty {
                for position in collection.places.blobs {
                    try settle(collection.fields[position], at: position, of: key, &changes)
                }
            }
        }
        return changes
    }

    private func settle(_ field: Field, at position: Int, of key: RowKey, _ changes: inout FileChanges) throws {
        guard let entry = entries[key] else { return }
        let before = entry.original.flatMap { $0.isDeleted ? nil : $0.values[position].string }
        let after = entry.current.isDeleted ? nil : entry.current.values[position].string
        func name(_ digest: String, isStored: Bool) -> NamedFile {
            NamedFile(digest: digest, key: key, field: field.name, setBy: author, isStored: isStored)
        }
        let isStored: Bool
        if let after, after == before {
            isStored = try reads.namedFile(after, of: project, by: key, field: field.name)?.isStored ?? false
        } else {
            if let before { changes.unnamed.append(name(before, isStored: false)) }
            isStored = try after.map(mayRead) ?? false
            if let after { changes.named.append(name(after, isStored: isStored)) }
        }
        guard !entry.current.isDeleted else { return }
        try tell(of: field.blob, key, stored: isStored ? after.flatMap { try reads.file($0, of: project) } : nil)
    }

    /// Whether the project has the file, and the author has sent it or may read it.
    private func mayRead(_ digest: String) throws -> Bool {
        guard try reads.file(digest, of: project) != nil else { return false }
        if try reads.hasSent(digest, to: project, by: author) { return true }
        guard let access else { return false }
        return try FileSight(access: access, registry: registry, transaction: reads).reads(digest)
    }

    /// Sets the fields that tell of a file. `stored` is nil for one that is pending. A client that sent other values
    /// gets the row again.
    private func tell(of blob: Field.Blob?, _ key: RowKey, stored file: StoredFile?) throws {
        guard let blob, let values = entries[key]?.current.values else { return }
        let collection = registry.collection(key.collection)
        var told: [Int: JSON] = [:]
        if let state = blob.state {
            let word = file == nil ? Field.BlobState.pending : .stored
            told[collection.position(named: state)] = .string(word.rawValue)
        }
        if let size = blob.size, let file { told[collection.position(named: size)] = .int(file.size) }
        guard told.contains(where: { values[$0.key] != $0.value }) else { return }
        try update(key) { values in
            for (position, value) in told { values[position] = value }
        }
        try restamp(key)
    }
}
