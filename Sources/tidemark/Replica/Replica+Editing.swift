import ArgumentParser
import Foundation
import SyncClientCore
import SyncProtocol

/// What `tidemark row` does, and `tidemark task` in the collection `tasks`. Everything throws `EditError`.
extension Replica {
    /// The collection that `tidemark task` edits.
    static let tasks = "tasks"
    /// The field with a row's project, in a replica of all projects.
    static let projectField = "project_id"

    /// The collection with this name, whether its rows can be edited or not.
    func known(_ name: String) throws -> CollectionSchema {
        guard let schema = try schema() else { throw EditError.notPulled }
        guard let collection = schema[name] else { throw EditError.unknownCollection(name) }
        return collection
    }

    /// The rows that were not deleted here; with `project`, only of that project.
    func liveRows(of name: String, in project: String? = nil) throws -> [JSON] {
        let fixed = try project.map(place) ?? [:]
        return try rows(of: known(name).name).filter { row in
            row["_status"] != "deleted" && fixed.allSatisfy { row[$0.key] == $0.value }
        }
    }

    /// Adds a row and returns its id; without one, a random UUID. Values in `fixed` and the project win over `fields`.
    func add(
        _ fields: [FieldAssignment], _ fixed: [String: JSON] = [:], to name: String, id: String?, in project: String?
    ) throws -> String {
        let id = id ?? UUID().uuidString.lowercased()
        let values = try fields.values(in: editable(name)).merging(fixed) { $1 }
            .merging(project.map(place) ?? [:]) { $1 }
        try insert(values, into: name, id: id)
        return id
    }

    func set(_ fields: [FieldAssignment], of id: String, in name: String) throws {
        try update(id, in: name, with: fields.values(in: editable(name)))
    }

    func remove(_ id: String, from name: String) throws { try delete(id, from: editable(name).name) }

    /// The field that says that a row is in this project; none in a replica of this project alone. Throws if the
    /// replica does not have the project.
    private func place(in project: String) throws -> [String: JSON] {
        switch try state().scope {
        case .allProjects:
            let isKnown = try rows(of: known("projects").name).contains { $0["id"] == .string(project) }
            guard isKnown else { throw EditError.unknownProject(project) }
            return [Self.projectField: .string(project)]
        case .project(project): return [:]
        case .project(let own):
            throw CommandError("\(path) is a replica of project \(own) alone. Leave out --project \(project).")
        }
    }

    private func editable(_ name: String) throws -> CollectionSchema {
        let collection = try known(name)
        guard collection.isUploadable else { throw EditError.notUploadable(name) }
        return collection
    }
}

/// `field=value` on the command line of `tidemark row` and `tidemark task`. The `=` is found by bytes, because the
/// value may begin with a combining mark: Swift takes `=` and such a mark for one character.
struct FieldAssignment: ExpressibleByArgument {
    let field: String
    let text: String

    init?(argument: String) {
        let bytes = argument.utf8
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign != bytes.startIndex else { return nil }
        field = String(argument[..<sign])
        text = String(argument[bytes.index(after: sign)...])
    }
}

extension [FieldAssignment] {
    /// The values, in the types of the collection's columns. Throws an `EditError`.
    func values(in collection: CollectionSchema) throws -> [String: JSON] {
        let pairs = try map { assignment in
            guard let column = collection[assignment.field] else {
                throw EditError.unknownField(assignment.field, collection: collection.name)
            }
            guard let value = column.value(of: assignment.text) else {
                throw EditError.wrongType(assignment.field, collection: collection.name)
            }
            return (assignment.field, value)
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }
}

extension ColumnSchema {
    /// Nil if the text is not a value of the column.
    fileprivate func value(of text: String) -> JSON? {
        if text.isEmpty && isNullable { return .some(.null) }
        if kind == .text { return .string(text) }
        let json = try? JSON(parsing: text)
        return kind == .any ? json ?? .string(text) : json
    }
}
