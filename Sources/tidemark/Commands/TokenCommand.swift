import ArgumentParser
import SyncEngine

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Personal access tokens.", subcommands: [Create.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it, this once.",
            discussion: "Example: tidemark token create --user alice --expires 90d --database plans.db")

        @Option(help: "Whom the token speaks for.") var user: String
        @Option(help: "What it is for.") var name = "command line"
        @Flag(help: "The token may only read.") var readOnly = false
        @Option(help: ArgumentHelp("How long it is valid, as 90d, 12h or 30m; for ever by default.", valueName: "span"))
        var expires: TimeSpan?
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let wiring = try await database.open()
            print(
                try await wiring.accounts.createToken(
                    for: user, name: name, isReadOnly: readOnly, validFor: expires?.duration))
        }
    }
}

/// A span of time on the command line: a number and `d`, `h`, `m` or `s`.
struct TimeSpan: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count >= 0,
            count <= 36_525 * 86_400 / unit
        else { return nil }
        duration = .seconds(count * unit)
    }
}
