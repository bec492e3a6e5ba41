import SyncProtocol
package import SyncSchema
import SyncStore

package enum RowRules {
    /// Every rule that a schema can name, by name.
    static let all: [String: any RowRule] = [
        "ordered-estimates": OrderedEstimates(),
        "sprint-dates": SprintDates(),
        "recurrence-pattern": RecurrencePattern(),
        AcyclicDependencies.name: AcyclicDependencies(),
        "project-calendar": ProjectCalendar(),
        "known-user": KnownUser(),
        "granted-roles": GrantedRoles(),
        "last-owner": LastOwner(),
        "suggestion-states": SuggestionStates(),
    ]

    /// Throws a `SchemaError` if a schema names an unknown rule.
    package static func check(_ registry: Registry) throws {
        for collection in registry.collections {
            if let unknown = collection.rules.first(where: { all[$0] == nil }) {
                throw SchemaError(
                    file: collection.name, pointer: "/x-rules",
                    reason: "there is no rule \(unknown); the rules are \(all.keys.sorted().joined(separator: ", "))")
            }
        }
    }
}
