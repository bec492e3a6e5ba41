/// Why a part can't be asked for. Nothing was changed.
public enum PartError: Error, Sendable, Equatable {
    /// The filter does not have the form of one.
    case noFilter(String)
    /// The filter, or that of all parts together, is above a limit of the server.
    case tooLarge(String, limit: String)
    /// The filter `{}` names no collection, so it asks for nothing of its own. `{"tasks": [{}]}` is all tasks.
    case namesNothing
    /// The schema does not let the field be in a filter.
    case notFilterable(field: String, collection: String)
    /// The schema has no such collection.
    case unknownCollection(String)
    /// The filter names `projects`, and the replica is of one project.
    case ofAllProjects
    /// There is no part of this name.
    case unknownPart(String)
}

extension PartError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .noFilter(let what): "This is no filter: \(what)."
        case .tooLarge(let what, let limit):
            "All parts together have \(what), and \(limit) is the most. Remove a part, or make one of two."
        case .namesNothing:
            "A part names at least one collection. For all rows of a collection, give it the alternative {}."
        case .notFilterable(let field, let collection):
            "`\(collection).\(field)` can't be in a filter: the server's schema does not say x-filterable."
        case .unknownCollection(let name): "The server's schema has no collection `\(name)`."
        case .ofAllProjects: "`projects` chooses among projects, and this replica is of one. Leave it out."
        case .unknownPart(let name): "There is no part `\(name)`. Add it first."
        }
    }
}
