import ArgumentParser
import SyncClient
import SyncProtocol

struct DoctorCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the way from this machine to a server.",
        discussion: """
            Checks the connection, the certificate, the clocks, compression, the token, events and waiting pulls, and \
            prints one line for each, with what to do. To measure how long a change takes, it makes a project called \
            “tidemark doctor” and deletes it; --no-write leaves this out. Exit status 1 if something failed; warnings \
            are no failures. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark doctor https://tidemark.example.org --token-file token
            """)

    @OptionGroup var server: ServerOptions
    @Flag(name: [.customLong("no-write"), .customLong("read-only")], help: "Write nothing to the server.")
    var noWrite = false
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        // The checks go on without a reader: they delete the project that they have made.
        var failure: (any Error)?
        let findings = try await findings { finding in
            if json { return }
            do { try Terminal.result(finding.line.plain) } catch { failure = error }
        }
        if let failure { throw failure }
        if json { try Terminal.result(json: JSON.array(findings.map(\.json))) }
        if findings.contains(where: { $0.level == .failure }) { throw ExitCode.failure }
    }

    /// Calls `tell` after each check.
    func findings(
        patience: Duration = .seconds(5), _ tell: @escaping (Finding) -> Void
    ) async throws -> [Finding] {
        try await server.withClient { client in
            var doctor = Doctor(client: client, writes: !noWrite, patience: patience, tell: tell)
            try await doctor.run()
            return doctor.findings
        }
    }
}
