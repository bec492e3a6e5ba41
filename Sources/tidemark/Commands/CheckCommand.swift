import ArgumentParser
import SyncFiles
import SyncProtocol
import SyncStore
import SyncStores

struct CheckCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.reads
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a database or a backup for faults.",
        discussion: """
            Reads everything and changes nothing. Servers may be running on the database. Of a PostgreSQL cluster, \
            name a standby, so that the primary is not kept from cleaning up meanwhile. If something is wrong, it says \
            what to do, and the exit status is 1. It also looks whether the files are there that rows name.
            Examples: tidemark check --database plans.db
                      tidemark check --database postgres://tidemark@db1,db2/plans
            """)

    @OptionGroup var database: DatabasePath
    @OptionGroup var store: StoreOption
    @Flag(help: "Also read all files that rows name, and compare their bytes with their digests.") var bytes = false
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let (inspector, note) = try store.inspector(of: database.path, readsBytes: bytes)
        var report = try EngineStore.check(database.path, files: inspector)
        if let note { report.notes.append(note) }
        try json ? Terminal.result(json: report.json) : Terminal.result(report.text)
        if !report.isSound { throw ExitCode.failure }
    }
}
