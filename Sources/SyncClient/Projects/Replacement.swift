import SyncProtocol

/// What a drain replaces. Of these rows it names all that there are, and its versions count even if they are lower.
struct Replacement: Sendable, Equatable {
    /// Whether the drain began at 0.
    var isWhole = false
    /// What this client asked for again.
    var asked: Replacing = []
    /// The projects that the server serves as a whole.
    var projects: Set<String> = []

    /// Whether it covers a row. `project` is nil in a replica of one project.
    func covers(_ project: String?, of collection: String) -> Bool {
        isWhole || asked.covers(project, of: collection) || project.map(projects.contains) ?? false
    }

    /// An SQL condition on the rows of the collection that it covers; nil if it covers none.
    func condition(on collection: String) -> String? {
        if isWhole { return "TRUE" }
        guard asked.collections.contains(collection) else { return projects.isEmpty ? nil : Self.isOne(of: projects) }
        return asked.projects.map { Self.isOne(of: projects.union($0)) } ?? "TRUE"
    }

    private static func isOne(of projects: Set<String>) -> String {
        "\(ProjectColumn.name) IN (\(projects.sorted().map(ProjectColumn.literal).joined(separator: ", ")))"
    }
}
