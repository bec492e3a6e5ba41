/// Why the replica does not take an edit. Nothing was changed.
public enum EditError: Error, Sendable, Equatable {
    /// The replica was never pulled, so it has no tables.
    case notPulled
    /// There is no such collection.
    case unknownCollection(String)
    /// The server does not take uploads of the collection's rows.
    case notUploadable(String)
    /// No such row here, or it was deleted.
    case unknownRow(String, collection: String)
    /// There is a row of that id.
    case rowExists(String, collection: String)
    /// An id has 1 to 64 letters, digits, `_`, `.` or `-`, and begins with a letter or digit.
    case invalidID(String)
    /// The collection has no such field.
    case unknownField(String, collection: String)
    /// The server alone writes the field.
    case readOnlyField(String, collection: String)
    /// The field takes another type.
    case wrongType(String, collection: String)
}

extension EditError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .notPulled: "The replica is empty. Pull the project first."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        case .notUploadable(let name): "Rows of `\(name)` can't be changed offline; change them on the server."
        case .unknownRow(let id, let collection): "There is no row `\(id)` in `\(collection)`."
        case .rowExists(let id, let collection): "There is a row `\(id)` in `\(collection)` already."
        case .invalidID(let id): "`\(id)` is no id: 1 to 64 letters, digits, _ . or -, the first a letter or digit."
        case .unknownField(let field, let collection): "`\(collection)` has no field `\(field)`."
        case .readOnlyField(let field, let collection): "`\(field)` of `\(collection)` is written by the server alone."
        case .wrongType(let field, let collection): "The value for `\(field)` of `\(collection)` is of the wrong type."
        }
    }
}
