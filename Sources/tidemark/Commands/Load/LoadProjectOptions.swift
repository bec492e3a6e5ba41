import ArgumentParser
import Foundation
import SyncLoad
import SyncProtocol

/// The options for the project, its server, and the tokens that read it.
struct LoadProjectOptions: ParsableArguments {
    @Argument(help: "The server's URL, for example http://127.0.0.1:8080.", transform: LoadProjectOptions.target)
    var url: LoadTarget
    @Option(help: "The project's id. (default: the one in --tokens)") var project: String?
    @Option(help: "A token. May be repeated; the clients take turns.") var token: [String] = []
    @Option(
        help: ArgumentHelp("The output of `load prepare`, or a file with one token on each line.", valueName: "file"))
    var tokens: String?
    @Option(help: "Rows of a page. (default: the server's, usually 1000)") var pageSize: Int?

    func plan(_ profile: LoadProfile) throws -> LoadPlan {
        var plan = LoadPlan(target: url, profile: profile)
        let file = try tokens.map(LoadTokenFile.init(path:))
        guard let project = project ?? file?.project, RowID.isValid(project) else {
            throw ValidationError("Give --project, or a --tokens file from `tidemark load prepare`.")
        }
        (plan.project, plan.tokens, plan.pageSize) = (project, token + (file?.tokens ?? []), pageSize)
        let variable = Variables.value(of: TokenOptions.variable, in: ProcessInfo.processInfo.environment)
        if plan.tokens.isEmpty, let variable { plan.tokens = [variable] }
        guard !plan.tokens.isEmpty else {
            throw ValidationError("Give --tokens or --token, or set \(TokenOptions.variable).")
        }
        return plan
    }

    static func target(_ text: String) throws -> LoadTarget {
        guard let target = LoadTarget(text) else { throw ValidationError("\(text) is not an http URL.") }
        return target
    }
}
