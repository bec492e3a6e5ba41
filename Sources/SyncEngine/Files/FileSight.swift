import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Who may read which files of a project. A digest is no capability: whoever sees a live row whose field is stored may
/// read the bytes that it names, and nobody else.
struct FileSight {
    let access: ProjectAccess
    let registry: Registry
    let transaction: any ReadTransaction

    /// How many rows that name one file are read at once.
    private static let batch = 200

    /// Whether the caller may read the file now.
    func reads(_ digest: String) throws -> Bool {
        let project = access.project.id
        var last: NamedFile?
        while true {
            let found = try transaction.namedFiles(
                digest, of: project, isStored: true, after: last, limit: FileSight.batch)
            for file in found where try sees(file) { return true }
            guard found.count == FileSight.batch else { return false }
            last = found.last
        }
    }

    private func sees(_ file: NamedFile) throws -> Bool {
        guard let collection = registry[file.key.collection], collection.field(file.field)?.blob != nil,
            let row = try transaction.record(file.key), !row.isDeleted
        else { return false }
        return try access.finds(row, in: collection, registry, from: transaction)
    }
}

extension ProjectAccess {
    /// Throws unless the caller may write a field that names files, in some row of the project: `read_only_token`,
    /// `forbidden`, `project_archived`.
    func requireUpload(_ registry: Registry) throws {
        let needed = registry.collections.filter { !$0.places.blobs.isEmpty }.flatMap(ProjectAccess.leastToWriteBlob)
        guard !needed.isEmpty else { throw Problem(.forbidden, "No collection of this server names files.") }
        let anyone = needed.contains { $0 == nil }
        let lowest = needed.compactMap(\.self).min() ?? .owner
        try requireWrite(anyone ? nil : lowest, to: "Sending files")
    }

    /// The roles with which fields that name files can be written, one for each way; nil for any role.
    private static func leastToWriteBlob(of collection: Collection) -> [Role?] {
        let roles = collection.roles
        let isOpenToUpdate = !roles.author.isDisjoint(with: [.update]) || !roles.listed.isDisjoint(with: [.update])
        let rows: [Role?] = [roles.create, roles.update] + (isOpenToUpdate ? [nil] : [])
        return collection.places.blobs.flatMap { position in
            let field = collection.fields[position]
            return rows.map { row in
                guard let write = field.writeRole, field.author == nil else { return row }
                return row.map { max($0, write) } ?? write
            }
        }
    }
}
