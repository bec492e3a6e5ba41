import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncLoad
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

struct LoadPrepareCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "prepare", abstract: "Create a project of a given size, and users with tokens, for load tests.",
        discussion: """
            Prints {"project": id, "tokens": […], "rows": n, "head": h}. Users are named load-1, load-2 …; \
            existing ones are used again. A run that is interrupted leaves a smaller project.
            Example: tidemark load prepare --database load.db --rows 100000 --users 8 > load.json
            """)

    @Option(help: "Number of rows of the project, in all collections together.") var rows: Int
    @Option(help: "Number of members of the project. Each gets a token.") var users = 1
    @Option(help: "How many such projects to create. The first one is printed.") var projects = 1
    @Option(help: "The new project's id. (default: a random one)") var project: String?
    @Option(help: "The seed for random rows. The same seed and project id give the same rows.") var seed: UInt64 = 1
    @OptionGroup var database: DatabaseOption

    func validate() throws {
        guard users >= 1 else { throw ValidationError("--users must be at least 1.") }
        guard rows >= users + 4 else {
            throw ValidationError("--rows must be at least \(users + 4) for \(counted(users, "user")).")
        }
        guard projects >= 1 else { throw ValidationError("--projects must be at least 1.") }
        guard projects == 1 || project == nil else {
            throw ValidationError("--project names a single project. It can't be combined with --projects.")
        }
        if let project, !RowID.isValid(project) { throw ValidationError("\(project) is not a valid id.") }
    }

    func run() async throws {
        let bar = ProgressBar()
        let all = rows * projects
        let result = try await database.withToFill { wiring in
            let preparation = SamplePreparation(wiring: wiring, rows: rows, seed: seed)
            let result = try await preparation.run(users: users, project: project) { bar.show($0, of: all, "rows") }
            for done in 1..<projects {
                try await preparation.add(users: users) { bar.show(done * rows + $0, of: all, "rows") }
            }
            return result
        }
        bar.clear()
        try Terminal.result(json: result)
    }
}

extension DatabaseOption {
    /// Opens the file like a server, which keeps the write-ahead
    /// log short. If a server has it open, opens it as a guest.
    fileprivate func withToFill<Value>(_ body: (Wiring) async throws -> Value) async throws -> Value {
        if !EngineStore.isServer(path) { try SQLiteStore.refuseWaiting(path) }
        guard let wiring = try? await Wiring(database: path, schemas: schemas, as: .server(.ask)) else {
            return try await withNew(body)
        }
        return try await with(wiring, body)
    }
}

/// Puts a sample project, its members and their tokens into a database, through the services.
/// Each chunk is a commit, so a million rows need no more memory than a few thousand.
struct SamplePreparation {
    let wiring: Wiring
    let rows: Int
    let seed: UInt64

    /// Returns what a load run needs. Throws a `Problem` if the project id is taken.
    func run(users: Int, project: String?, onProgress: (Int) -> Void) async throws -> JSON {
        let members = try await members(users)
        let id = project ?? NewID.uuid()
        try await fill(id, members: members, onProgress: onProgress)
        return try await result(id, members)
    }

    /// Adds a project with a random id. Makes no tokens.
    func add(users: Int, onProgress: (Int) -> Void) async throws {
        try await fill(NewID.uuid(), members: try await members(users), onProgress: onProgress)
    }

    private func members(_ count: Int) async throws -> [User] {
        var members: [User] = []
        for number in 1...count { members.append(try await member(number)) }
        return members
    }

    private func fill(_ id: String, members: [User], onProgress: (Int) -> Void) async throws {
        guard let sample = SampleProject(id: id, rows: rows, users: members.map(\.id), seed: seed) else {
            throw CommandError("\(rows) rows are too few for a project of \(counted(members.count, "user")).")
        }
        try await createProject(id, members: members)
        try await fill(id, with: sample, by: members, onProgress)
    }

    private func member(_ number: Int) async throws -> User {
        let name = "load-\(number)"
        if let user = try? await wiring.services.accounts.user(named: name) { return user }
        return try await wiring.services.accounts.addUser(name)
    }

    private func createProject(_ id: String, members: [User]) async throws {
        let calendar = JSON.string(NewID.uuid())
        let content = ProjectContent(
            rows: [
                "calendars": [["id": calendar, "name": "Standard"]],
                "projects": [
                    [
                        "id": .string(id), "name": .string("Load of \(rows) rows"), "start_date": "2026-01-05",
                        "calendar": calendar,
                    ]
                ],
            ], owner: members[0].id, members: Dictionary(members.map { ($0.id, .member) }) { $1 })
        _ = try await wiring.services.projects.create(content)
    }

    private func fill(
        _ id: String, with sample: SampleProject, by members: [User], _ onProgress: (Int) -> Void
    ) async throws {
        let users = Dictionary(uniqueKeysWithValues: members.map { ($0.id, $0) })
        var done = members.count + 2
        for chunk in sample.chunks {
            guard let author = users[chunk.author] else { continue }
            try await wiring.services.projects.add([chunk.collection: chunk.rows], to: id, by: author)
            done += chunk.rows.count
            onProgress(done)
        }
    }

    private func result(_ id: String, _ members: [User]) async throws -> JSON {
        var tokens: [JSON] = []
        for member in members {
            tokens.append(
                .string(try await wiring.services.accounts.createToken(for: member.username.rawValue, name: "load")))
        }
        let head = try await wiring.store.read(.project(id)) { try $0.project(id)?.head } ?? .zero
        return [
            "project": .string(id), "tokens": .array(tokens), "rows": .int(Int64(rows)), "head": .int(head.rawValue),
        ]
    }
}
