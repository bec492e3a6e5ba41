/// Why the replica rejected an edit. Nothing was changed.
public enum EditError: Error, Sendable, Equatable {
    /// The replica was never pulled, so it has no tables.
    case notPulled
    /// The schema has no collection of this name.
    case unknownCollection(String)
    /// The server accepts no uploads of this collection's rows.
    case notUploadable(String)
    /// The collection has no row of this id in the replica, or the row was deleted.
    case unknownRow(String, collection: String)
    /// The collection already has a row of this id, perhaps a deleted one that the server has not confirmed.
    case rowExists(String, collection: String)
    /// The id is not 1 to 64 letters, digits, `_`, `.` or `-`, starting with a letter or digit.
    case invalidID(String)
    /// The collection has no field of this name.
    case unknownField(String, collection: String)
    /// Only the server writes the field.
    case readOnlyField(String, collection: String)
    /// The value's type is wrong for the field. Null counts as wrong for a field that is not nullable.
    case wrongType(String, collection: String)
    /// The new row lacks fields that the schema requires.
    case missingFields([String], collection: String)
    /// A new row in a replica of all projects does not say which project it belongs to.
    case missingProject(collection: String)
    /// The replica has no project of this id.
    case unknownProject(String)
    /// A row stays in its project, and a project's `project_id` is its id.
    case fixedProject(collection: String)
}

extension EditError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .notPulled: "The replica is empty. Pull the project first."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        case .notUploadable(let name): "Rows of `\(name)` can't be edited offline; edit them on the server."
        case .unknownRow(let id, let collection): "There is no row `\(id)` in `\(collection)`."
        case .rowExists(let id, let collection): "`\(collection)` already has a row `\(id)`."
        case .invalidID(let id):
            "`\(id)` is not a valid id: use 1 to 64 letters, digits, _ . or -, starting with a letter or digit."
        case .unknownField(let field, let collection): "`\(collection)` has no field `\(field)`."
        case .readOnlyField(let field, let collection): "Only the server writes `\(field)` of `\(collection)`."
        case .wrongType(let field, let collection): "The value for `\(field)` of `\(collection)` has the wrong type."
        case .missingFields(let fields, let collection):
            "A new row of `\(collection)` needs \(fields.map { "`\($0)`" }.joined(separator: ", "))."
        case .missingProject(let collection):
            "The replica holds all your projects, so a new row of `\(collection)` needs `project_id`."
        case .unknownProject(let id): "The replica has no project `\(id)`."
        case .fixedProject(ProjectColumn.collection): "The `project_id` of a project is its id. Leave it out."
        case .fixedProject: "A row stays in its project: `project_id` can't be changed."
        }
    }
}
