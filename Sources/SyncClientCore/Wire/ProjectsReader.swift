import SyncProtocol

/// Reads what a page of all projects says of projects.
struct ProjectsReader {
    private let members: [String: JSON]

    /// `members` are those of the page.
    init(_ members: [String: JSON]) { self.members = members }

    /// Throws `SyncError.violation` for members that are not as in `docs/protocol.md#get-sync`.
    func read(into page: inout PageResponse) throws {
        try members["left_projects"].map { try readLeft($0, into: &page) }
        page.replaced = try (members["replaced"] ?? []).array.map { try $0.map { try text($0, "replaced") } } ?? []
        page.heads = try members["heads"].map(heads)
        for (project, digests) in try object("digest", members["digest"] ?? [:]) {
            page.projectDigests[project] = try CollectionDigest.all(in: digests)
        }
    }

    private func readLeft(_ json: JSON, into page: inout PageResponse) throws {
        guard let entries = json.array else { throw SyncError.violation("`left_projects` is not an array") }
        var lost: [String: WipeReason] = [:]
        for entry in entries {
            let project = try text(entry["project_id"] ?? .null, "left_projects")
            let code = entry["code"]?.string
            if code == Self.filtered {
                page.leftByFilter.append(project)
            } else if let reason = code.flatMap(WipeReason.init) {
                lost[project] = reason
            } else {
                throw SyncError.violation("`left_projects` has an unknown code")
            }
        }
        page.left = lost
    }

    /// The code of a project that the filter has no more.
    private static let filtered = "filtered"

    private func heads(_ json: JSON) throws -> [String: SyncSeq] {
        try object("heads", json).mapValues { head in
            guard let head = head.int, head >= 0 else { throw SyncError.violation("a member of `heads` is no number") }
            return SyncSeq(head)
        }
    }

    private func object(_ name: String, _ json: JSON) throws -> [String: JSON] {
        guard let members = json.object else { throw SyncError.violation("`\(name)` is not an object") }
        return members
    }

    private func text(_ json: JSON, _ name: String) throws -> String {
        guard let id = json.string, RowID.isValid(id) else {
            throw SyncError.violation("`\(name)` has an id that is not valid")
        }
        return id
    }
}

extension CollectionDigest {
    /// The digests by collection; nil for null. Throws `SyncError.violation`.
    static func all(in json: JSON) throws -> [String: CollectionDigest]? {
        guard !json.isNull else { return nil }
        guard let members = json.object else { throw SyncError.violation("`digest` is not an object") }
        return try members.mapValues { member in
            guard let digest = CollectionDigest(member) else {
                throw SyncError.violation("a member of `digest` is not a digest")
            }
            return digest
        }
    }
}
