import ArgumentParser
import Foundation
import SyncServer
import SyncStoreSQL

/// The executable. Each subcommand has a file of its own under `Commands`.
@main
struct Tidemark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark",
        abstract: "A self-hosted sync server for offline-first project-management apps.",
        version: "\(Release.build), layout \(TableLayout.version)",
        subcommands: [
            ServeCommand.self, UserCommand.self, TokenCommand.self, ProjectCommand.self, MemberCommand.self,
            DevicesCommand.self, ImportCommand.self, ExportCommand.self,
            PullCommand.self, PushCommand.self, SyncCommand.self, RefusedCommand.self, RowCommand.self,
            TaskCommand.self, FileCommand.self, DoctorCommand.self, StatusCommand.self, SchemaCommand.self,
            BackupCommand.self, RestoreCommand.self, CheckCommand.self, CopyCommand.self, RestoredCommand.self,
            PromotedCommand.self,
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
            if let kind = type(of: command) as? any ClassifiedCommand.Type {
                let environment = ProcessInfo.processInfo.environment
                try ServiceHome.installed.adoption(
                    by: kind, arguments: Array(arguments), environment: environment)?.takeEffect()
            }
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

/// Prepares a command line for the parser.
enum Arguments {
    /// The parser looks for the `=` of `--name=value` by characters, and misses one that is followed by
    /// a combining mark. Such an option is split into two arguments. After `--` there are no options.
    static func parsable(_ arguments: some Collection<String>) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.flatMap(separated) + arguments.dropFirst(options.count)
    }

    private static func separated(_ argument: String) -> [String] {
        let bytes = argument.utf8
        guard bytes.starts(with: "--".utf8), let sign = bytes.firstIndex(of: UInt8(ascii: "=")),
            argument.firstIndex(of: "=") != sign
        else { return [argument] }
        return [String(argument[..<sign]), String(argument[bytes.index(after: sign)...])]
    }
}

/// An unknown word on the command line in the place of a subcommand.
struct Misspelling: Equatable {
    /// What to tell the user, without `Error: `.
    let text: String

    /// Nil if the command line names an existing command.
    init?(in arguments: some Collection<String>) {
        var command = Tidemark.self as any ParsableCommand.Type
        var path = "tidemark"
        for word in arguments {
            let configuration = command.configuration
            guard !configuration.subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = configuration.subcommands.first(where: { $0._commandName == word }) {
                command = next
                path = "\(path) \(word)"
                continue
            }
            guard configuration.defaultSubcommand == nil else { return nil }
            let names = configuration.subcommands.map { $0._commandName }
            text =
                "There is no command `\(path) \(word)`."
                + (Spelling.nearest(to: word, among: names).map { " Did you mean `\(path) \($0)`?" }
                    ?? " There are: \(names.joined(separator: ", ")).")
            return
        }
        return nil
    }
}

/// Guesses which known name somebody meant by an unknown one.
enum Spelling {
    /// The nearest name: one that differs by a few typing errors, otherwise
    /// the only one that contains all the words. Nil if nothing is near.
    static func nearest(to name: String, among names: [String]) -> String? {
        let limit = max(1, min(4, name.count / 4))
        let near = names.map { (distance: distance(name.lowercased(), $0.lowercased()), name: $0) }
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        if let near, near.distance <= limit { return near.name }
        let words = words(of: name)
        let fitting = names.filter { words.isSubset(of: self.words(of: $0)) }
        return words.isEmpty || fitting.count != 1 ? nil : fitting[0]
    }

    /// A question to append to a message; empty if nothing is near.
    static func suggestion(for name: String, among names: [String]) -> String {
        nearest(to: name, among: names).map { " Did you mean \($0)?" } ?? ""
    }

    private static func words(of name: String) -> Set<String> {
        Set(name.lowercased().split { $0 == "_" || $0 == "." || $0 == "-" }.map(String.init)).subtracting(["tidemark"])
    }

    /// How many characters to add, remove, replace, or swap with their neighbours (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before = [Int]()
        var last = [Int]()
        var row = Array(0...right.count)
        for (i, character) in left.enumerated() {
            before = last
            last = row
            row = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (character == other ? 0 : 1))
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
        }
        return row[right.count]
    }
}
