import ArgumentParser
import Foundation
import SyncServer

/// The executable. Each subcommand has a file of its own under `Commands`.
@main
struct Tidemark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark",
        abstract: "A self-hosted sync server for offline-first project-management apps.",
        version: Release.version,
        subcommands: [
            ServeCommand.self, UserCommand.self, TokenCommand.self, ProjectCommand.self, MemberCommand.self,
            DevicesCommand.self, ImportCommand.self, ExportCommand.self,
            PullCommand.self, PushCommand.self, SyncCommand.self, RefusedCommand.self, RowCommand.self,
            TaskCommand.self, DoctorCommand.self, StatusCommand.self, SchemaCommand.self,
            BackupCommand.self, CheckCommand.self, CopyCommand.self, RestoredCommand.self, PromotedCommand.self,
            PurgeCommand.self,
            LoadCommand.self,
        ])

    /// Exit status: 0 success, 1 failure, 2 wrong usage, 3 success except for edits
    /// that the server refused. Results go to stdout, everything else to stderr.
    static func main() async {
        Output.prepareProcess()
        let arguments = CommandLine.arguments.dropFirst()
        if let misspelling = Misspelling(in: arguments) {
            Terminal.message("Error: \(misspelling.text)")
            Foundation.exit(2)
        }
        do {
            var command = try parseAsRoot(Arguments.parsable(arguments))
            if !(command is ServeCommand) { warn() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            Terminal.flush()
        } catch {
            exit(with: error)
        }
    }

    /// Warns about unknown variables. The server refuses to start with
    /// them; other commands read only a few variables and continue.
    private static func warn() {
        for complaint in Variables.complaints(about: ProcessInfo.processInfo.environment) {
            Terminal.message("Warning: \(complaint)")
        }
    }

    private static func exit(with error: any Error) -> Never {
        let isOurs = error is any OperatorError
        let code = isOurs ? 1 : exitCode(for: error).rawValue
        if code == 0 { help(fullMessage(for: error)) }
        let text = isOurs ? lines("Error: \(error)") : fullMessage(for: error)
        if !text.isEmpty { Terminal.message(text) }
        Terminal.flush()
        Foundation.exit(code == ExitCode.validationFailure.rawValue ? 2 : code)
    }

    /// What `--help` and `--version` ask for.
    private static func help(_ text: String) -> Never {
        do { try Terminal.result(text) } catch { exit(with: error) }
        Foundation.exit(0)
    }

    /// An error may have names in it that others have chosen.
    private static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).plain }.joined(separator: "\n")
    }
}
