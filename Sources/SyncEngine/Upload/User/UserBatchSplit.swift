import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Says which project each row of a batch belongs to.
///
/// A row that exists belongs to its project, if the caller is or was a member there. Any other row belongs to the
/// project that it names, so an id that somebody else uses looks like a free one until its project judges it.
struct UserBatchSplit {
    private(set) var rows: [String: [UploadRequest.Row]] = [:]
    /// The projects of each row.
    private var places: [RowKey: Set<String>] = [:]
    /// Rows without a project.
    private(set) var refusals: [BatchAttempt.Refusal] = []
    /// Deletes of rows that don't exist.
    private(set) var unknown: [UploadRequest.Row] = []
    /// The mistakes of rows that could not be read and whose project is not known.
    private(set) var problems: [RowProblem] = []
    /// The projects among these that the caller is or was a member of.
    private(set) var known: Set<String> = []
    /// The projects among these that don't exist, and that the batch makes.
    private(set) var made: Set<String> = []
    private var problemsOf: [String: [RowProblem]] = [:]
    /// The projects of the rows that the batch makes: it may also change and delete them.
    private var newRows: [RowKey: String] = [:]
    private let caller: Caller
    private let registry: Registry
    private let transaction: any ReadTransaction

    init(
        _ request: UploadRequest, _ caller: Caller, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws {
        (self.caller, self.registry, self.transaction) = (caller, registry, transaction)
        for row in request.rows {
            if row.key.collection == registry.projects.name { try addProject(row) } else { try add(row) }
        }
        for problem in request.problems { try add(problem, request) }
        for (project, rows) in rows { for row in rows { places[row.key, default: []].insert(project) } }
    }

    /// Whether the batch has the row in another project.
    func isElsewhere(_ key: RowKey, than project: String) -> Bool {
        places[key].map { $0 != [project] } ?? false
    }

    var projects: [String] { Set(rows.keys).union(problemsOf.keys).sorted() }

    /// The mistakes of rows of the project that could not be read.
    func problems(of project: String) -> [RowProblem] { problemsOf[project] ?? [] }

    private mutating func add(_ row: UploadRequest.Row) throws {
        if let own = try project(of: row.key) {
            guard row.project.map({ $0 == own }) ?? true else {
                return refuse(row, try sees(row.key, in: own) ? .cantMove : .idUnavailable)
            }
            rows[own, default: []].append(row)
        } else if let named = row.project {
            _ = try isKnown(named)
            newRows[row.key] = named
            rows[named, default: []].append(row)
        } else if row.bucket == .deleted {
            unknown.append(row)
        } else {
            refuse(row, .nameless)
        }
    }

    /// A project's own row. One that somebody else has, or had, looks like an id that can't be used.
    private mutating func addProject(_ row: UploadRequest.Row) throws {
        let id = row.key.id
        let isDelete = row.bucket == .deleted
        let exists = try transaction.project(id) != nil
        guard exists ? try isKnown(id) : !isDelete || made.contains(id) else {
            return isDelete ? unknown.append(row) : refuse(row, .idUnavailable)
        }
        guard row.project.map({ $0 == id }) ?? true else { return refuse(row, .idUnavailable) }
        if !exists { made.insert(id) }
        rows[id, default: []].append(row)
    }

    private mutating func refuse(_ row: UploadRequest.Row, _ problem: Violation) {
        refusals.append(BatchAttempt.Refusal(row: row, problem: problem))
    }

    private mutating func add(_ problem: RowProblem, _ request: UploadRequest) throws {
        let sent = request.unreadable[request.place(of: problem).pointer]?.sent
        let own = try problem.id.flatMap { try project(of: RowKey(problem.collection, $0)) }
        guard let project = own ?? sent?["project_id"]?.string else { return problems.append(problem) }
        _ = try isKnown(project)
        problemsOf[project, default: []].append(problem)
    }

    /// The project of a row that exists, live or dead, or that the batch makes; nil if the caller has nothing to do
    /// with it.
    private mutating func project(of key: RowKey) throws -> String? {
        guard let stored = try transaction.record(key), try isKnown(stored.project) else { return newRows[key] }
        return stored.project
    }

    /// Whether the caller sees the row now. Of any other row, nothing is said.
    private func sees(_ key: RowKey, in project: String) throws -> Bool {
        guard let row = try transaction.record(key), !row.isDeleted,
            let access = try ProjectAccess.ifVisible(caller, project: project, in: transaction)
        else { return false }
        return access.sees(row, in: registry.collection(key.collection), registry)
    }

    private mutating func isKnown(_ project: String) throws -> Bool {
        if known.contains(project) { return true }
        let isKnown =
            try caller.isSuperuser
            ? transaction.project(project) != nil : transaction.access(project: project, user: caller.userID) != nil
        if isKnown { known.insert(project) }
        return isKnown
    }
}

extension Violation {
    /// A row that the caller sees names another project than its own.
    static let cantMove = Violation(
        nil, .idUnavailable,
        "A row can't move to another project. Create it there under another id, and delete it here.")

    /// Nothing says which project a row belongs to.
    static let nameless = Violation("project_id", .required, "A new row must name its project_id.")
}
