import ArgumentParser

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "The load tester.", subcommands: [LoadPrepareCommand.self])
}
