import ArgumentParser
import Foundation
import ServiceLifecycle
import SyncAccounts
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

struct ServeCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.restores
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server.",
        discussion: "Example: tidemark serve --database plans.db --host 127.0.0.1 --port 8080 --demo")

    @Option(help: "The address to listen on. (default: 127.0.0.1)") var host: String?
    @Option(help: "The port to listen on; 0 takes a free one. (default: 8080)") var port: Int?
    @Flag(help: "Create a demo user, a token and a demo project if they are missing, and print them.") var demo = false
    @Option(help: ArgumentHelp("A JSON file of settings.", valueName: "file")) var config: String?
    @Flag(help: "Print every setting with its value and where that comes from, and exit.") var printConfig = false
    @Option(
        help: ArgumentHelp(
            "Serve HTTPS with this certificate, a PEM file. It is read again when it changes.", valueName: "file"))
    var tlsCertificate: String?
    @Option(help: ArgumentHelp("The certificate's private key, a PEM file.", valueName: "file")) var tlsKey: String?
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let settings = try await effectiveSettings()
        if printConfig {
            try await check(settings.values)
            return try Terminal.result(settings.table(others: others))
        }
        try await serve(settings.values, Terminal.beginQueueing())
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

    /// Throws what a start with these settings would throw before it opens the database.
    private func check(_ settings: ServerSettings) async throws {
        _ = try Edge(settings.http, streams: settings.sync)
        _ = try await Accounts(settings.accounts)
        _ = try settings.sync.limitingUploads(of: database.registry())
        try settings.backup.check(database.path)
    }

    /// The options that are not settings.
    private var others: [(name: String, value: String, origin: EffectiveSettings.Origin)] {
        [
            ("--database", database.path, database.file.origin),
            ("--schemas", database.schemas ?? "", database.collections.origin),
            ("--config", config ?? "", config == nil ? .default : .flag),
            ("--demo", String(demo), demo ? .flag : .default),
        ]
    }

    private func serve(_ settings: ServerSettings, _ log: LogQueue) async throws {
        let edge = try Edge(settings.http, streams: settings.sync)
        let wiring = try await Wiring(
            database: database.path, schemas: database.schemas, as: .server(settings.database.failover),
            settings: settings.sync, accounts: try await Accounts(settings.accounts), files: settings.files,
            reserve: settings.server.diskReserveMegabytes << 20)
        do {
            try await serve(wiring, edge: edge, settings: settings, log: log)
        } catch {
            try? wiring.store.close()
            throw error
        }
    }

    private func serve(
        _ wiring: Wiring, edge: Edge, settings: ServerSettings, log: LogQueue
    ) async throws {
        var maintenance = try Maintenance(
            settings.backup, database: database.path, files: wiring.files, open: wiring.store)
        maintenance.diskLowBytes = Int64(settings.server.diskLowMegabytes) << 20
        let greeting = try await greeting(wiring)
        let server = SyncServer(
            wiring.services, observation: settings.observation, events: settings.events, maintenance: maintenance)
        server.watch(log)
        let logger = settings.observation.log.logger { Terminal.message($0) }
        let host = settings.server.host
        let port = settings.server.port
        let scheme = edge.certificates == nil ? "http" : "https"
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        // SIGHUP reads the certificate again. A server without one must not end by it, unless its terminal is closed.
        if edge.certificates == nil, isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
        let application = server.application(host: host, port: port, edge: edge, logger: logger) {
            let url = "\(scheme)://\(host):\($0)"
            greeting.show(url: url)
            manager?.tellReady("Serves on \(url)")
        }
        var services: [any Service] = [manager].compactMap { $0 }
        if let backups = maintenance.backups {
            server.watch(backups.place)
            services.append(BackupTimer(backups.place, every: settings.backup.interval, logger: logger))
        }
        let serving = Serving(
            store: wiring.store, patience: settings.server.shutdownSeconds, services: services, logger: logger)
        do {
            try await serving.run(application)
        } catch let reason as StoreError {
            throw reason
        } catch {
            throw CommandError(ListenFailure(error, host: host, port: port).description)
        }
    }

    private func greeting(_ wiring: Wiring) async throws -> Greeting {
        let demo = demo ? try await Demo(wiring: wiring, database: database.path).prepare() : nil
        // Root's commands know the service's database by themselves.
        let isService = database.path == ServiceHome.installed.database
        let options =
            (isService ? [] : ["--database \(database.path)"]) + (database.schemas.map { ["--schemas \($0)"] } ?? [])
        let command = ["tidemark user add NAME --password-stdin"] + options
        return Greeting(
            database: database.path, engine: wiring.store.metrics.engine, flaws: wiring.store.metrics.flaws, demo: demo,
            firstCommand: try await wiring.services.accounts.users().isEmpty
                ? command.joined(separator: " ") : nil)
    }
}

/// What the server prints once it listens.
struct Greeting {
    let database: String
    let engine: String
    /// What is wrong with the engine, and can't be mended here.
    let flaws: [String]
    let demo: Demo.Greeting?
    /// The command to type next; nil if there are users already.
    let firstCommand: String?

    func show(url: String) {
        Terminal.message(lines(url: url).joined(separator: "\n"))
        if let demo { try? Terminal.result(demo.text(url: url)) }
    }

    func lines(url: String) -> [String] {
        let lines = [
            "Tidemark serves \(database) (\(engine)) on \(url)",
            "Open this address in a browser to see the console. The API is described on \(url)/docs/",
        ]
        return lines + flaws.map { "Note: \($0)" }
            + [firstCommand.map { "There is no user yet. Add one: \($0)" }].compactMap(\.self)
    }
}
