import ArgumentParser

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Put load on a server, and check its answers.",
        discussion: """
            The exit status is 1 if any answer was wrong, however fast the server was.
            Example: tidemark load cold-start http://127.0.0.1:8080 --tokens load.json --clients 8
            """,
        subcommands: [
            LoadPrepareCommand.self, LoadColdStartCommand.self, LoadPollCommand.self, LoadUploadCommand.self,
            LoadMixedCommand.self, LoadStormCommand.self, LoadGetCommand.self,
        ])
}
