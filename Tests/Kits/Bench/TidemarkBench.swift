import ArgumentParser

/// Measures pieces of the server that can't be measured with `tidemark` alone, and serves the routes
/// that the server is compared with. `scripts/bench` runs it. Each result is one JSON object on stdout.
@main
struct TidemarkBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark-bench",
        abstract: "Measure pieces of Tidemark, for scripts/bench.",
        subcommands: [
            PageCommand.self, PartsCommand.self, BareCommand.self, DiscardCommand.self, FilesCommand.self,
            EventsCommand.self,
        ])
}
