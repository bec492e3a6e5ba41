import ArgumentParser
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStores

struct RestoredCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.restores
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: "Declare that a database is a restored copy that `tidemark backup` did not make.",
        discussion: """
            All clients then start from 0 at their next pull, and all users log in again. A backup made by \
            `tidemark backup` does not need this command: it is recognized when it is first opened. Servers on a \
            PostgreSQL database that are running end, and have to be started again.
            Example: tidemark restored --database plans.db
            """)

    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let jump = try await database.with(Self.self) { try await $0.restored() }
        if json {
            let values: JSON = ["jump": .int(jump.distance), "projects": .int(Int64(jump.projects))]
            return try Terminal.result(json: values)
        }
        try Terminal.result("Raised the commit numbers of \(counted(jump.projects, "project")) by \(jump.distance).")
    }
}

struct PromotedCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.promotes
    static let configuration = CommandConfiguration(
        commandName: "promoted",
        abstract: "Declare that a standby was promoted and that no commit was lost.",
        discussion: """
            A server that was running during the failover finds out by itself. If none was, servers don't start \
            until somebody says what happened, because a promotion looks like a restore from inside. Run this command \
            only if commits waited for the standby that was promoted. Otherwise run `tidemark restored`.
            Example: tidemark promoted --database postgres://tidemark@db/plans
            """)

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        guard EngineStore.isServer(database.path) else {
            throw CommandError("`tidemark promoted` is for PostgreSQL databases. Leave it out for a file.")
        }
        try await database.with(Self.self) { try await $0.services.audit.note(.promoted) }
        try Terminal.result("Servers accept the database as it is now.")
    }
}
