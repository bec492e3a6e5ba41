import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The parameters of lists.
extension Query {
    /// Throws `invalid_parameter` with every parameter that is not one of `names`.
    func refuseOthers(than names: [String]) throws {
        let unknown = values.map { String($0.name) }.filter { !names.contains($0) }
        guard !unknown.isEmpty else { return }
        let known = names.isEmpty ? "There are none." : "There are: \(names.joined(separator: ", "))."
        throw Problem(parameters: unknown.map { ($0, "There is no parameter \($0) here. \(known)") })
    }

    /// The filters and `sort` of a list. Other parameters are ignored. Throws `invalid_parameter`.
    func listQuery(of collection: Collection) throws -> ListQuery {
        var query = ListQuery(collection)
        for field in collection.listFields {
            guard let text = text(field.name) else { continue }
            do throws(Violation) {
                try query.filter(field, by: text)
            } catch {
                throw Problem(parameter: field.name, in: collection, error)
            }
        }
        for key in try sortKeys(collection) { query.sort(by: key.field, isDescending: key.isDescending) }
        return query
    }

    /// `after`: the `next` of the previous page of a list with the same filters
    /// and the same sort; nil if absent or empty. Throws `invalid_parameter`.
    func place(in query: ListQuery) throws -> ListPlace? {
        guard let text = text("after"), !text.isEmpty else { return nil }
        guard let place = ListPlace(text, in: query) else {
            throw Problem(parameters: [
                ("after", "after takes the next of the previous page, with the same filters and the same sort.")
            ])
        }
        return place
    }

    private func sortKeys(_ collection: Collection) throws -> [(field: Field, isDescending: Bool)] {
        guard let list = text("sort") else { return [] }
        let fields = collection.listFields
        let keys = try list.split(separator: ",", omittingEmptySubsequences: false).map { word in
            let isDescending = word.utf8.first == UInt8(ascii: "-")
            let name = isDescending ? word.dropFirst() : word
            guard let field = fields.first(where: { $0.name == name }) else { throw Query.badSort(fields) }
            return (field, isDescending)
        }
        let names = Set(keys.map(\.0.name))
        guard names.count == keys.count, keys.count <= ListQuery.maximumKeys else { throw Query.badSort(fields) }
        return keys
    }

    private static func badSort(_ fields: [Field]) -> Problem {
        let rule =
            "sort takes up to \(ListQuery.maximumKeys) different fields, separated by commas; "
            + "a leading - sorts descending"
        return Problem(parameters: [("sort", "\(rule). There are: \(fields.map(\.name).joined(separator: ", ")).")])
    }
}

extension Problem {
    /// `invalid_parameter`, with an entry for each parameter and what is wrong with it.
    fileprivate init(parameters: [(name: String, detail: String)]) {
        let errors = parameters.map { name, detail in
            RowProblem(
                pointer: Problem.pointer(to: name), collection: "", id: nil, code: .invalidParameter, detail: detail)
        }
        self.init(.invalidParameter, errors[0].detail, errors: errors)
    }

    fileprivate init(parameter name: String, in collection: Collection, _ violation: Violation) {
        let error = RowProblem(
            pointer: Problem.pointer(to: name), collection: collection.name, id: nil, field: name,
            code: violation.code, detail: "\(name) \(violation.detail).")
        self.init(.invalidParameter, error.detail, errors: [error])
    }

    /// A JSON Pointer (RFC 6901) into the query's parameters.
    private static func pointer(to name: String) -> String {
        "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}
