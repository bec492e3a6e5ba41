import ArgumentParser
import Foundation
import ServiceLifecycle
import SyncEngine
import SyncServer
import SyncStoreSQLite

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server.",
        discussion: "Example: tidemark serve --database plans.db --host 127.0.0.1 --port 8080 --demo")

    @Option(help: "The address to listen on. (default: 127.0.0.1)") var host: String?
    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)") var port: Int?
    @Flag(help: "On the first start, make a demo project, and a user and a token for it.") var demo = false
    @Option(help: ArgumentHelp("A JSON file of settings.", valueName: "file")) var config: String?
    @Flag(help: "Print every setting, what it is and where that comes from; start nothing.") var printConfig = false
    @Option(help: ArgumentHelp("Serve HTTPS: the certificate, PEM. Read again when it changes.", valueName: "file"))
    var tlsCertificate: String?
    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file")) var tlsKey: String?
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let settings = try await effectiveSettings()
        if printConfig { return print(settings.table(others: others)) }
        try await serve(settings.values)
    }

    private func effectiveSettings() async throws -> EffectiveSettings {
        let flags = [
            "server.host": host, "server.port": port.map(String.init), "tls.certificate": tlsCertificate,
            "tls.key": tlsKey,
        ].compactMapValues { $0 }
        return try await SettingsReader(
            environment: ProcessInfo.processInfo.environment, file: config, flags: flags
        ).effective()
    }

    /// What the command line alone can say.
    private var others: [(name: String, value: String, isGiven: Bool)] {
        [
            ("--database", database.database, database.file != nil),
            ("--schemas", database.schemas ?? "", database.schemas != nil),
            ("--config", config ?? "", config != nil), ("--demo", String(demo), demo),
        ]
    }

    private func serve(_ settings: ServerSettings) async throws {
        let edge = try Edge(settings.http, streams: settings.sync)
        let wiring = try await Wiring(
            database: database.database, schemas: database.schemas, as: .server,
            groupsWrites: settings.sync.groupCommit)
        let backups = try BackupTimer.Place(settings.backup, database: database.database, open: wiring.store)
        let greeting = demo ? try await Demo(wiring: wiring, database: database.database).prepare() : nil
        let server = try await SyncServer(
            store: wiring.store, registry: wiring.registry, settings: settings.sync,
            accounts: try await Accounts(settings.accounts), observation: settings.observation)
        let logger = settings.observation.log.logger { Terminal.message($0) }
        let (host, scheme) = (settings.server.host, edge.certificates == nil ? "http" : "https")
        let application = server.application(host: host, port: settings.server.port, edge: edge, logger: logger) {
            greet("\(scheme)://\(host):\($0)", by: wiring.store.figures.engine, greeting)
        }
        var services: [any Service] = []
        if let backups {
            server.watch(backups)
            services.append(BackupTimer(backups, every: settings.backup.interval, logger: logger))
        }
        let serving = Serving(
            store: wiring.store, patience: settings.server.shutdownSeconds, services: services, logger: logger)
        do {
            try await serving.run(application)
        } catch {
            throw CommandError("Can't serve on \(host):\(settings.server.port): \(error)")
        }
    }

    private func greet(_ url: String, by engine: String, _ greeting: Demo.Greeting?) {
        Terminal.message("Tidemark serves \(database.database) (\(engine)) on \(url)")
        if let greeting { print(greeting.text(url: url)) }
        fflush(nil)
    }
}
