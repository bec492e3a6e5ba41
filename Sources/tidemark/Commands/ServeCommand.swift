import ArgumentParser
import Foundation
import Hummingbird
import Logging
import SyncServer
import SyncStoreSQLite

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server.",
        discussion: "Example: tidemark serve --database plans.db --host 127.0.0.1 --port 8080 --demo")

    @Option(help: "The address to listen on.") var host = "127.0.0.1"
    @Option(help: "The port to listen on; 0 takes a free one.") var port = 8080
    @Flag(help: "On the first start, make a demo project, and a user and a token for it.") var demo = false
    @Option(help: ArgumentHelp("A JSON file of settings.", valueName: "file")) var config: String?
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let settings = try await SettingsReader(environment: ProcessInfo.processInfo.environment, file: config).read()
        let wiring = try await Wiring(
            database: database.database, schemas: database.schemas, as: .server,
            groupsWrites: settings.sync.groupCommit)
        let greeting = demo ? try await Demo(wiring: wiring, database: database.database).prepare() : nil
        let server = try await SyncServer(
            store: wiring.store, registry: wiring.registry, settings: settings.sync,
            accounts: try await Accounts(settings.accounts))
        var logger = Logger(label: "tidemark") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let application = server.application(host: host, port: port, logger: logger) { port in
            let url = "http://\(host):\(port)"
            Terminal.message("Tidemark serves \(database.database) on \(url)")
            if let greeting { print(greeting.text(url: url)) }
            fflush(nil)
        }
        do {
            try await application.runService()
        } catch {
            throw CommandError("Can't serve on \(host):\(port): \(error)")
        }
    }
}
