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
    @Option(help: ArgumentHelp("Serve HTTPS: the certificate, PEM. Read again when it changes.", valueName: "file"))
    var tlsCertificate: String?
    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file")) var tlsKey: String?
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let settings = try await settings()
        let edge = try Edge(settings.http)
        let wiring = try await Wiring(
            database: database.database, schemas: database.schemas, as: .server,
            groupsWrites: settings.sync.groupCommit)
        let greeting = demo ? try await Demo(wiring: wiring, database: database.database).prepare() : nil
        let server = try await SyncServer(
            store: wiring.store, registry: wiring.registry, settings: settings.sync,
            accounts: try await Accounts(settings.accounts))
        var logger = Logger(label: "tidemark") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .notice
        let scheme = edge.certificates == nil ? "http" : "https"
        let application = server.application(host: host, port: port, edge: edge, logger: logger) { port in
            let url = "\(scheme)://\(host):\(port)"
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

    /// Options come before the environment and the file.
    private func settings() async throws -> ServerSettings {
        var settings = try await SettingsReader(
            environment: ProcessInfo.processInfo.environment, file: config
        ).read()
        if let tlsCertificate { settings.http.tlsCertificate = tlsCertificate }
        if let tlsKey { settings.http.tlsKey = tlsKey }
        return settings
    }
}
