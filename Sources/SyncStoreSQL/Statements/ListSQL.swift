package import SyncProtocol
import SyncSchema
package import SyncStore
import SyncValues

/// The SQL of a filtered or sorted list. It selects ids only, because SQLite sorts whole result rows and a row can be
/// large. No index has the order of a sort key, so each page examines all live rows of the scope.
package struct ListSQL {
    /// The values of ?1, ?2 ….
    package private(set) var values: [JSON] = []
    package private(set) var sql = ""

    package init(_ listing: Listing, _ layout: TableLayout) {
        let query = listing.query
        var terms = ["is_deleted = 0"] + scope(listing.scope, in: query.collection)
        terms += query.filters.map { equal("\"\($0.field.name)\"", $0.value) }
        if let after = listing.after { terms.append("(\(following(after, query.keys)))") }
        let order =
            query.keys.map { ListSQL.expression($0) + ($0.isDescending ? " DESC NULLS LAST" : " NULLS FIRST") }
            + [query.collection.scope == .project ? "id" : "created_seq, id"]
        sql = """
            SELECT id FROM "\(layout.collection.name)" WHERE \(terms.joined(separator: " AND "))
            ORDER BY \(order.joined(separator: ", "))
            LIMIT \(bind(.int(Int64(listing.limit))))
            """
    }

    private mutating func bind(_ value: JSON) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    private mutating func scope(_ scope: Listing.Scope, in collection: Collection) -> [String] {
        switch scope {
        case .projects(nil): return []
        case .projects(let user?):
            let mine = "SELECT project_id FROM tidemark_access WHERE user_id = \(bind(.int(user))) AND role IS NOT NULL"
            return ["id IN (\(mine))"]
        case .rows(let rows, let project):
            let name = bind(.string(project))
            let ofProject = "project_id = \(name)"
            switch rows {
            case .all: return [ofProject]
            // There is no list of rows that the caller has lost, so this one is empty.
            case .beside, .lost, .held, .heldOwn, .heldInserted: return [ofProject, "FALSE"]
            case .listed(let user):
                return [ofProject, ListedQuery.isListed(in: collection, of: name, for: bind(.int(user)))]
            case .own(let field, let user): return [ofProject, "\"\(field)\" = \(bind(.int(user)))"]
            case .ungated, .hidden: return [ofProject, "is_gated = 0"]
            }
        }
    }

    /// The SQL expression that rows are sorted by for this key.
    private static func expression(_ key: ListQuery.SortKey) -> String {
        let column = "\"\(key.field.name)\""
        return key.field.value.kind == .string ? "substr(\(column), 1, \(ListQuery.sortedCharacters))" : column
    }

    private mutating func equal(_ expression: String, _ value: JSON) -> String {
        value.isNull ? "\(expression) IS NULL" : "\(expression) = \(bind(value))"
    }

    /// Selects the rows after a position: those after it in the first key, then those equal in the first key and after
    /// it in the second, then further keys the same way.
    private mutating func following(_ place: ListPlace, _ keys: [ListQuery.SortKey]) -> String {
        var ways = [String]()
        var equals = [String]()
        for (key, value) in zip(keys, place.keys) {
            let expression = ListSQL.expression(key)
            if let next = following(value, expression: expression, isDescending: key.isDescending) {
                ways.append(all(equals + [next]))
            }
            equals.append(equal(expression, value))
        }
        let id = place.creation.id
        let last =
            place.creation.seq == .zero
            ? "id > \(bind(.string(id)))"
            : "(created_seq, id) > (\(bind(.int(place.creation.seq.rawValue))), \(bind(.string(id))))"
        return (ways + [all(equals + [last])]).joined(separator: " OR ")
    }

    private func all(_ terms: [String]) -> String { "(" + terms.joined(separator: " AND ") + ")" }

    /// Selects the rows after `value` in one key. Nil if there
    /// can't be any: null is the last value of a descending order.
    private mutating func following(_ value: JSON, expression: String, isDescending: Bool) -> String? {
        switch (value.isNull, isDescending) {
        case (true, true): nil
        case (true, false): "\(expression) IS NOT NULL"
        case (false, false): "\(expression) > \(bind(value))"
        case (false, true): "(\(expression) < \(bind(value)) OR \(expression) IS NULL)"
        }
    }
}
