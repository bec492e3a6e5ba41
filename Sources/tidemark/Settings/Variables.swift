/// The environment variables whose names begin with `TIDEMARK_`.
enum Variables {
    /// The variables that commands read besides the server's settings.
    static let ofCommands = [DatabasePath.variable, TokenOptions.variable]

    private static var known: [String] { Setting.all.map(\.variable) + ofCommands }

    /// An empty variable counts as unset.
    static func value(of name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A message for each unknown variable, sorted by its name.
    static func complaints(about environment: [String: String]) -> [String] {
        let known = Set(known)
        return environment.filter { $0.key.utf8.starts(with: "TIDEMARK_".utf8) && !$0.value.isEmpty }.keys
            .filter { !known.contains($0) }.sorted().map(complaint)
    }

    private static func complaint(about name: String) -> String {
        let suggestion = Spelling.suggestion(for: name, among: known)
        guard suggestion.isEmpty else { return "There is no setting \(name)." + suggestion }
        return "There is no setting \(name). There are: \(known.sorted().joined(separator: ", "))."
    }
}
