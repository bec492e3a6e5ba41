import ArgumentParser

/// Measures pieces of the server that `tidemark` can't show alone, and serves the routes that it is compared with.
/// `scripts/bench` runs it. Results are one JSON object on stdout.
@main
struct TidemarkBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark-bench",
        abstract: "Pieces of Tidemark for scripts/bench.",
        subcommands: [PageCommand.self, PartsCommand.self, BareCommand.self, DiscardCommand.self])
}
