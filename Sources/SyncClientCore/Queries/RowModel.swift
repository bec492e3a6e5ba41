import Foundation
import SyncProtocol

/// A collection's rows as a type of the app: what `tidemark schema --format swift` prints, or one of your own. Its keys
/// are the names of the fields. Fields that it lacks stay as they are when a row is changed through it.
public protocol RowModel: Codable, Hashable, Identifiable, Sendable {
    /// The collection's name.
    static var collection: String { get }
    /// The row's id.
    var id: String { get }
}

/// A new row. A field that is nil gets the schema's default.
public protocol NewRowModel: Encodable, Hashable, Sendable {
    /// The collection's name.
    static var collection: String { get }
    /// The row's id; nil for a new one.
    var id: String? { get }
}

extension Replica {
    /// The rows that a query finds (`rows(_:)`), as models: with the edits made here, and without rows that were
    /// deleted here. `conditions` and `order` have the names of the fields.
    ///
    /// Throws the errors of `rows(_:)`, and `DecodingError` if a value has another type than the model says.
    public func rows<Model: RowModel>(
        of model: Model.Type, in project: String? = nil, where conditions: [String: RowCondition] = [:],
        order: [String] = [], limit: Int? = nil
    ) throws -> [Model] {
        try model.decoded(
            rows(RowQuery(model.collection, in: project, where: conditions, order: order, limit: limit)))
    }

    /// One row; nil if there is none, or if it was deleted here. Throws like `rows(of:in:where:order:limit:)`.
    public func row<Model: RowModel>(of model: Model.Type, id: String) throws -> Model? {
        guard let row = try row(of: model.collection, id: id), row["_status"] != "deleted" else { return nil }
        return try model.decoded([row]).first
    }

    /// The rows that a query finds, now and after each change of them: `observe(_:unsettled:look:)`, as models.
    public func observe<Model: RowModel>(
        _ model: Model.Type, in project: String? = nil, where conditions: [String: RowCondition] = [:],
        order: [String] = [], limit: Int? = nil, unsettled: Bool = false, look: Duration = .milliseconds(100)
    ) -> some AsyncSequence<[Model], any Error> & Sendable {
        let query = RowQuery(model.collection, in: project, where: conditions, order: order, limit: limit)
        return observe(query, unsettled: unsettled, look: look).map { try model.decoded($0) }
    }

    /// The ids of the rows that change: `changes(of:unsettled:look:)` of the model's collection.
    public func changes<Model: RowModel>(
        of model: Model.Type, unsettled: Bool = false, look: Duration = .milliseconds(100)
    ) -> RowChanges {
        changes(of: model.collection, unsettled: unsettled, look: look)
    }

    /// Adds a row, and returns its id. Throws the errors of `insert(_:into:id:)`.
    @discardableResult
    public func insert<New: NewRowModel>(_ row: New) throws -> String {
        var fields = try JSON.fields(of: row)
        let id = row.id ?? UUID().uuidString.lowercased()
        fields["id"] = nil
        try insert(fields, into: New.collection, id: id)
        return id
    }

    /// Makes the changes that lead from `former` to `row`, such as from a row as a form was opened with to what was
    /// typed. Fields that are the same in both, and those that the model lacks, stay as they are in the replica, where
    /// somebody else may have changed them meanwhile. Throws the errors of `update(_:in:with:)`.
    public func update<Model: RowModel>(_ row: Model, from former: Model) throws {
        let old = try JSON.fields(of: former)
        let new = try JSON.fields(of: row)
        let values = Set(old.keys).union(new.keys).map { ($0, new[$0] ?? .null) }
        let changes = values.filter { name, value in value != old[name] ?? .null }
        try update(former.id, in: Model.collection, with: Dictionary(uniqueKeysWithValues: changes))
    }

    /// Changes a row: `update(task) { $0.status = .complete }`. Only what `change` changes is stored and sent. Throws
    /// the errors of `update(_:in:with:)`, and those of `change`.
    public func update<Model: RowModel>(_ row: Model, _ change: (inout Model) throws -> Void) throws {
        var changed = row
        try change(&changed)
        try update(changed, from: row)
    }

    /// Deletes a row. Throws the errors of `delete(_:from:)`.
    public func delete<Model: RowModel>(_ row: Model) throws { try delete(row.id, from: Model.collection) }
}

extension RowModel {
    fileprivate static func decoded(_ rows: [JSON]) throws -> [Self] {
        try JSONDecoder().decode([Self].self, from: Data(JSON.array(rows).bytes))
    }
}

extension JSON {
    fileprivate static func fields(of model: some Encodable) throws -> [String: JSON] {
        try JSON(parsing: JSONEncoder().encode(model)).object ?? [:]
    }
}
