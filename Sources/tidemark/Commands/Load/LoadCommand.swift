import ArgumentParser

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "The load tester: puts load on a server and checks what it answers.",
        discussion: """
            Exit status 1 where the server was wrong, however fast.
            Example: tidemark load cold-start http://127.0.0.1:8080 --tokens load.json --clients 8
            """,
        subcommands: [
            LoadPrepareCommand.self, LoadColdStartCommand.self, LoadPollCommand.self, LoadUploadCommand.self,
            LoadMixedCommand.self, LoadStormCommand.self, LoadGetCommand.self,
        ])
}
