import ArgumentParser
import Foundation
import SyncLoad
import SyncProtocol

/// Which project, and who reads it.
struct LoadProjectOptions: ParsableArguments {
    @Argument(help: "Where the server answers, as http://127.0.0.1:8080.", transform: LoadProjectOptions.target)
    var url: LoadTarget
    @Option(help: "The project's id; that of --tokens where nothing is said.") var project: String?
    @Option(help: "A token; may be repeated. Clients take them in turn.") var token: [String] = []
    @Option(help: ArgumentHelp("What load prepare printed, or one token a line.", valueName: "file")) var tokens:
        String?
    @Option(help: "Rows of a page; 1000 where absent.") var pageSize: Int?

    func plan(_ profile: LoadProfile) throws -> LoadPlan {
        var plan = LoadPlan(target: url, profile: profile)
        let file = try tokens.map(LoadTokenFile.init(path:))
        guard let project = project ?? file?.project, RowID.isValid(project) else {
            throw ValidationError("Give --project, or a --tokens file of load prepare.")
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
        guard let target = LoadTarget(text) else { throw ValidationError("\(text) is no http URL.") }
        return target
    }
}
