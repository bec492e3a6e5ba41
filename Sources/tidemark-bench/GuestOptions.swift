import ArgumentParser
import SyncAccounts
import SyncSchema
import SyncStore
import SyncStoreSQLite

struct GuestOptions: ParsableArguments {
    @Option(help: "The database file.") var database: String
}
