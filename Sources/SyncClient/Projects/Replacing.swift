import SyncProtocol

/// Collections of which a client asks for every row again.
struct Replacing: Sendable, Equatable, ExpressibleByArrayLiteral {
    var collections: [String] = []
    /// The projects that it is for; nil in a replica of one project.
    var projects: [String]?

    init(_ collections: [String], in projects: [String]? = nil) {
        (self.collections, self.projects) = (collections, projects)
    }

    init(arrayLiteral elements: String...) { self.init(elements) }

    func covers(_ project: String?, of collection: String) -> Bool {
        guard collections.contains(collection) else { return false }
        guard let projects else { return true }
        return project.map(projects.contains) ?? false
    }

    /// The parameter `migration`; nil if it asks for nothing.
    var migration: JSON? {
        guard !collections.isEmpty else { return nil }
        var members: [String: JSON] = ["tables": .array(collections.map(JSON.string))]
        members["projects"] = projects.map { .array($0.map(JSON.string)) }
        return .object(members)
    }
}
