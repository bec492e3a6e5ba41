import SyncProtocol
package import SyncSchema
import SyncStore

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
