import SyncProtocol
package import SyncSchema
import SyncStore

/// A rule over several fields or rows that no schema can say, hooked to a collection by its name in `x-rules`. Throws a
/// `FieldProblem`, so that a batch can leave the row out.
protocol RowRule: Sendable {
    /// Judges the final state of a row that a write inserted or changed.
    func check(_ row: RuleSubject) throws
    /// Judges the delete of a row that the caller named, which a cascade did not take along, by what is left.
    func checkDelete(_ row: RuleSubject) throws
}

extension RowRule {
    func check(_ row: RuleSubject) throws {}
    func checkDelete(_ row: RuleSubject) throws {}
}

/// A row and who changes it, as rules see them.
struct RuleSubject {
    let record: StoredRow
    let collection: Collection
    let draft: Draft

    subscript(field: String) -> JSON { value(field, of: record) }

    /// The row before the draft; nil for a new one.
    var original: StoredRow? { draft.entries[RowKey(collection.name, record.id)]?.original }

    /// The field's value before the draft; nil for a new row.
    func original(_ field: String) -> JSON? { original.map { value(field, of: $0) } }

    /// What the caller may do; nil for the server's own writes.
    var access: ProjectAccess? { draft.access }

    private func value(_ field: String, of record: StoredRow) -> JSON {
        collection.position(field).map { record.values[$0] } ?? .null
    }
}

package enum RowRules {
    /// Every rule that a schema can name.
    static let all: [String: any RowRule] = [
        "ordered-estimates": OrderedEstimates(),
        "sprint-dates": SprintDates(),
        "recurrence-pattern": RecurrencePattern(),
        "acyclic-dependencies": AcyclicDependencies(),
        "project-calendar": ProjectCalendar(),
        "known-user": KnownUser(),
        "granted-roles": GrantedRoles(),
        "last-owner": LastOwner(),
        "suggestion-states": SuggestionStates(),
    ]

    /// Throws where a schema names a rule that there is not.
    package static func check(_ registry: Registry) throws {
        for collection in registry.collections {
            if let unknown = collection.rules.first(where: { all[$0] == nil }) {
                throw SchemaError(
                    file: collection.name, pointer: "/x-rules",
                    reason: "no rule \(unknown); there are \(all.keys.sorted().joined(separator: ", "))")
            }
        }
    }
}
