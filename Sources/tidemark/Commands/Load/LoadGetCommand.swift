import ArgumentParser
import Foundation
import SyncLoad

struct LoadGetCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Request one plain URL, to measure what this client can do against a static file server.",
        discussion: "Example: tidemark load get http://127.0.0.1:8081/page.json --clients 32 --header 'Accept: */*'")

    @Argument(help: "The URL to request.", transform: LoadProjectOptions.target) var url: LoadTarget
    @Option(help: "A header, in the form Name: value. May be repeated.", transform: LoadGetCommand.header)
    var header: [(name: String, value: String)] = []
    @Option(help: "Number of requests of each client, instead of --duration.") var requests: Int?
    @OptionGroup var options: LoadOptions

    func run() async throws {
        var plan = LoadPlan(target: url, profile: .get)
        try options.apply(to: &plan, clients: 32, actions: requests)
        plan.headers = header
        try await options.carryOut(plan)
    }

    static func header(_ text: String) throws -> (name: String, value: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex,
            !text.contains(where: \.isNewline)
        else { throw ValidationError("\(text) is not a header. Write it as Name: value.") }
        return (String(text[..<colon]), text[bytes.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
}
