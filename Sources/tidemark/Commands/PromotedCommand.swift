import ArgumentParser
import SyncAccounts
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStores

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
