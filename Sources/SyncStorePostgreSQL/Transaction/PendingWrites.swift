import SyncProtocol
import SyncStore
import SyncStoreSQL

/// What a write has done so far and the server does not know yet: the counters of projects, which are written once a
/// group, and the rows that it knows. A value, so that a member that fails can be undone.
struct PendingWrites {
    struct CountKey: Hashable {
        let project: String
        let collection: String
    }

    struct DigestKey: Hashable {
        let project: String
        let collection: String
        let audience: Audience
    }

    struct LockedProject {
        /// Nil if there is no such project.
        var state: ProjectState?
    }

    /// Whether anything was written.
    var isChanged = false
    /// The number of rows that were written.
    var changed = 0
    /// The projects whose rows are locked: nobody else can change anything of theirs.
    var projects: [String: LockedProject] = [:]
    /// Rows of locked projects, and keys that no project has. Nil for a row that does not exist.
    var rows: [RowKey: StoredRow?] = [:]
    /// Users that were read. Nil for one that does not exist.
    var users: [Int64: User?] = [:]
    var counts: [CountKey: RowCounts] = [:]
    var digests: [DigestKey: CollectionDigest] = [:]
    /// The commits of each earlier member of the group.
    private var commits: [[NumberedCommit]] = []
    /// The commits of this member, one for each project.
    private var own: [String: NumberedCommit] = [:]

    /// The heads of the locked projects. A deleted one may be one that is being made, and vanish.
    var heads: [String: SyncSeq] {
        projects.compactMapValues { project in project.state.flatMap { $0.isDeleted ? nil : $0.head } }
    }

    /// Begins with the next member of a group.
    mutating func beginMember() {
        if !own.isEmpty { commits.append(Array(own.values)) }
        own = [:]
    }

    /// Records a commit. A member's later commit to a project replaces its earlier one.
    mutating func note(_ commit: NumberedCommit) {
        own[commit.project] = own[commit.project].map { $0.followed(by: commit) } ?? commit
    }

    /// Queues everything that is still to be written.
    mutating func send(_ session: Session) throws {
        for project in projects.keys.sorted() { try sendCounters(of: project, session) }
        beginMember()
        for member in commits {
            for (index, commit) in member.enumerated() {
                try session.send(index == 0 ? Self.newCommit("nextval") : Self.newCommit("currval"), commit.values)
            }
        }
        commits = []
        guard isChanged else { return }
        for (id, project) in projects.sorted(by: { $0.key < $1.key }) {
            guard let state = project.state else { continue }
            try session.send(Self.project, [.string(id), .int(state.head.rawValue), .int(state.lastShortID)])
        }
    }

    /// Queues the counters of one project, which somebody wants to read.
    mutating func sendCounters(of project: String, _ session: Session) throws {
        for (key, change) in counts where key.project == project {
            let place: [JSON] = [.string(project), .string(key.collection)]
            try session.send(Self.newCount, place)
            try session.send(Self.count, place + [.int(Int64(change.live)), .int(Int64(change.tombstones))])
            counts[key] = nil
        }
        for (key, change) in digests where key.project == project {
            let place: [JSON] = [.string(project), .string(key.audience.key), .string(key.collection)]
            try session.send(Self.newDigest, place)
            try session.send(Self.digest, place + [.int(Int64(change.count)), .int(Int64(bitPattern: change.bits))])
            digests[key] = nil
        }
    }

    // An upsert would check the constraint `live >= 0` on the change itself.
    private static let newCount = """
        INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones) VALUES (?1, ?2, 0, 0)
        ON CONFLICT (project_id, collection) DO NOTHING
        """
    private static let count = """
        UPDATE tidemark_row_counts SET live = live + ?3, tombstones = tombstones + ?4
        WHERE project_id = ?1 AND collection = ?2
        """
    private static let newDigest = """
        INSERT INTO tidemark_digests (project_id, audience, collection, live, bits) VALUES (?1, ?2, ?3, 0, 0)
        ON CONFLICT (project_id, audience, collection) DO NOTHING
        """
    private static let digest = """
        UPDATE tidemark_digests SET live = live + ?4, bits = bits # ?5
        WHERE project_id = ?1 AND audience = ?2 AND collection = ?3
        """
    /// `changes` goes up with every transaction that held the lock and changed anything. See `Marker`.
    private static let project = """
        UPDATE tidemark_projects SET head = ?2, short_ids = ?3, changes = changes + 1 WHERE id = ?1
        """
    /// The commits of one member have the same place in `tidemark_commit_order`. It is drawn under the locks of all
    /// projects of the transaction, so a project's commits are drawn in their order.
    private static func newCommit(_ place: String) -> String {
        """
        INSERT INTO tidemark_new_commits (place, project_id, sync_seq, at, audiences, changes_sight)
        VALUES (\(place)('tidemark_commit_order'), ?1, ?2, ?3, ?4, ?5)
        """
    }
}

extension NumberedCommit {
    fileprivate func followed(by later: NumberedCommit) -> NumberedCommit {
        NumberedCommit(
            project: project, seq: later.seq, at: later.at, audiences: audiences.union(later.audiences),
            changesSight: changesSight || later.changesSight)
    }

    /// The columns of `tidemark_new_commits`.
    fileprivate var values: [JSON] {
        [
            .string(project), .int(seq.rawValue), .int(at.milliseconds), .string(CommitAudience.text(audiences)),
            .bool(changesSight),
        ]
    }
}
