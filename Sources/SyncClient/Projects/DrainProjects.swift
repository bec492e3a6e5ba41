import GRDB
import SyncProtocol

/// What the pages of a drain of all projects said of projects. It is kept in the table `_drain_project`, because a
/// drain can outlive the process that began it.
struct DrainProjects {
    /// The lost projects.
    private(set) var left: [String: WipeReason] = [:]
    /// The projects that the server serves as a whole.
    private(set) var replaced: Set<String> = []

    /// What the drain's pages have said, this one included. `isFirst` is for the first page of a drain.
    static func noting(_ page: PageResponse, isFirst: Bool, _ db: Database) throws -> DrainProjects {
        var projects = DrainProjects()
        if isFirst { try forget(db) } else { try projects.load(db) }
        for (id, reason) in page.left ?? [:] { try projects.add(id, reason.rawValue, db) }
        for id in page.replaced { try projects.add(id, replacedMark, db) }
        return projects
    }

    /// The same at the drain's last page. Older servers name in `left_projects` also projects that the user has again,
    /// and serve all of their rows.
    func settled(by page: PageResponse) -> DrainProjects {
        var settled = self
        for project in (page.heads ?? [:]).keys where settled.left.removeValue(forKey: project) != nil {
            settled.replaced.insert(project)
        }
        return settled
    }

    static func forget(_ db: Database) throws { try db.execute(sql: "DELETE FROM _drain_project") }

    private static let replacedMark = "replaced"

    private mutating func load(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, fate FROM _drain_project") { note(row["id"], row["fate"]) }
    }

    private mutating func add(_ id: String, _ fate: String, _ db: Database) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO _drain_project VALUES (?, ?)", arguments: [id, fate])
        note(id, fate)
    }

    private mutating func note(_ id: String, _ fate: String) {
        if fate == Self.replacedMark { replaced.insert(id) }
        if let reason = WipeReason(rawValue: fate) { left[id] = reason }
    }
}
