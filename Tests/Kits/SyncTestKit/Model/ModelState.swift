import Dispatch
import SyncProtocol
import SyncSchema
import SyncStore
import Synchronization

struct ModelState: Sendable {
    struct Project: Sendable {
        var head: Int64 = 0
        var shortIDs: Int64 = 0
        var isArchived = false
        var isDeleted = false
        var historyFloor: Int64 = 0
        var horizon: Int64 = 0
        /// The commits in order.
        var commits: [(number: CommitNumber, commit: NumberedCommit)] = []
    }

    struct ProjectUser: Hashable, Sendable {
        let project: String
        let user: Int64
    }

    struct Listed: Hashable, Sendable {
        let row: RowKey
        let user: Int64
    }

    struct Identity: Hashable, Sendable {
        let issuer: ExactText
        let subject: ExactText
    }

    /// The number of commits.
    var commits: Int64 = 0
    var projects: [String: Project] = [:]
    var access: [ProjectUser: Access] = [:]
    /// By user, oldest first.
    var stints: [Int64: [Stint]] = [:]
    var newestNumber = CommitNumber.first
    var lastThinned: CommitNumber?
    var rows: [RowKey: StoredRow] = [:]
    /// By project and user: the rows that the user owned before, with the commit that took each away.
    var lost: [ProjectUser: [RowKey: SyncSeq]] = [:]
    var listed: [Listed: ListedSpan] = [:]
    var counts: [String: [String: RowCounts]] = [:]
    /// The digests by project, audience and collection.
    var digests: [String: [Audience: [String: CollectionDigest]]] = [:]
    var users: [User] = []
    var passwords: [Int64: String] = [:]
    var identities: [Identity: Int64] = [:]
    var tokens: [String: StoredToken] = [:]
    var answers: [IdempotencyKey: StoredAnswer] = [:]
    var changes: [RowKey: [RowChange]] = [:]
    var inbox: [InboxEntry] = []
    /// The versions of changes whose values are forgotten.
    var forgottenChanges: [RowKey: Set<ServerVersion>] = [:]
    var lastInboxEntry: Int64 = 0
    var audit: [StoredAuditEntry] = []
    var lastAuditEntry: Int64 = 0
    var lastToken: Int64 = 0
    var sessions: [String: StoredSession] = [:]
    var tickets: [String: StoredTicket] = [:]
    var refreshTokens: [String: StoredRefreshToken] = [:]
    var secrets: [String: String] = [:]
    var devices: [DeviceKey: Device] = [:]
    /// By project and digest.
    var files: [String: [String: StoredFile]] = [:]
    /// Files whose bytes are missing, and since when.
    var missingFiles: [String: [String: (file: StoredFile, since: Instant)]] = [:]
    var filesComparedAt: Instant?
    var uploads: [String: FileUpload] = [:]
    var uploadParts: [String: [FileUpload.Part]] = [:]
    var fileSenders: Set<[String]> = []
    var namedFiles: [String: Set<NamedFile>] = [:]
}
