import ArgumentParser
import SyncLoad
import SyncProtocol
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
