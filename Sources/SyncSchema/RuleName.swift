import SyncValues

/// The rules that a schema can name in `x-rules`: those about several fields or rows, which a schema can't express. The
/// engine has a `RowRule` for each.
package enum RuleName: String, Sendable, CaseIterable {
    case acyclicDependencies = "acyclic-dependencies"
    case grantedRoles = "granted-roles"
    case knownUser = "known-user"
    case lastOwner = "last-owner"
    case oneSubject = "one-subject"
    case orderedEstimates = "ordered-estimates"
    case projectCalendar = "project-calendar"
    case recurrencePattern = "recurrence-pattern"
    case sprintDates = "sprint-dates"
    case suggestionStates = "suggestion-states"

    /// What the rule looks at. In a collection without it the rule would have no effect, although the collection names
    /// the rule.
    private var needs: Needs {
        switch self {
        case .acyclicDependencies:
            Needs(fields: ["predecessor": .string, "successor": .string], references: ["predecessor", "successor"])
        case .grantedRoles: Needs(fields: ["role": .integer])
        case .knownUser: Needs(fields: ["user": .integer])
        case .lastOwner: Needs(scope: .membership, fields: ["role": .integer])
        case .oneSubject: Needs(fields: ["task": .string, "risk": .string], references: ["task", "risk"])
        case .orderedEstimates:
            Needs(fields: [
                "optimistic_duration": .integer, "most_likely_duration": .integer, "pessimistic_duration": .integer,
            ])
        case .projectCalendar: Needs(scope: .project, fields: ["calendar": .string], references: ["calendar"])
        case .recurrencePattern:
            Needs(fields: [
                "frequency": .string, "weekdays": .integer, "day_of_month": .integer, "end_type": .string,
                "end_date": .string, "end_count": .integer,
            ])
        case .sprintDates: Needs(fields: ["start_date": .string, "finish_date": .string])
        case .suggestionStates:
            Needs(fields: ["state": .string, "suggested_user": .integer, "suggested_by": .integer, "task": .string])
        }
    }

    /// What the collection lacks, as the rest of a sentence about the rule; nil if it lacks nothing.
    func missing(in collection: Collection) -> String? {
        let needs = needs
        if let scope = needs.scope, collection.scope != scope {
            return "is for the collection of x-scope \(scope.rawValue)"
        }
        for (name, kind) in needs.fields.sorted(by: { $0.key < $1.key })
        where collection.field(name)?.value.kind != kind {
            let isRemoved = collection.removedFields.contains { $0.name == name }
            return "needs a field \(name) of the type \(kind.rawValue)" + (isRemoved ? ", but \(name) is removed" : "")
        }
        guard let name = needs.references.first(where: { collection.field($0)?.reference == nil }) else { return nil }
        return "needs x-ref in the field \(name)"
    }

    private struct Needs {
        /// The scope of the only collection that the rule makes sense for; nil for any.
        var scope: Collection.Scope?
        /// The fields that the rule needs, by name.
        var fields: [String: ValueSchema.Kind] = [:]
        /// Those of the fields that must refer to rows.
        var references: [String] = []
    }
}
