import ArgumentParser
import SyncSchema
import SyncStoreSQLite

struct GuestOptions: ParsableArguments {
    @Option(help: "The database file.") var database: String
}
