/// The fields that a rule of `x-rules` looks at. In a collection without them the rule would have no effect, although
/// the collection names it.
struct RuleNeeds {
    /// The scope of the only collection that the rule makes sense for; nil for any.
    var scope: Collection.Scope?
    /// The fields that the rule needs, by name.
    var fields: [String: ValueSchema.Kind] = [:]
    /// Those of the fields that must refer to rows.
    var references: [String] = []

    static let all: [String: RuleNeeds] = [
        "ordered-estimates": RuleNeeds(fields: [
            "optimistic_duration": .integer, "most_likely_duration": .integer, "pessimistic_duration": .integer,
        ]),
        "sprint-dates": RuleNeeds(fields: ["start_date": .string, "finish_date": .string]),
        "recurrence-pattern": RuleNeeds(fields: [
            "frequency": .string, "weekdays": .integer, "day_of_month": .integer, "end_type": .string,
            "end_date": .string, "end_count": .integer,
        ]),
        "acyclic-dependencies": RuleNeeds(
            fields: ["predecessor": .string, "successor": .string], references: ["predecessor", "successor"]),
        "project-calendar": RuleNeeds(scope: .project, fields: ["calendar": .string], references: ["calendar"]),
        "known-user": RuleNeeds(fields: ["user": .integer]),
        "granted-roles": RuleNeeds(fields: ["role": .integer]),
        "last-owner": RuleNeeds(scope: .membership, fields: ["role": .integer]),
        "suggestion-states": RuleNeeds(fields: [
            "state": .string, "suggested_user": .integer, "suggested_by": .integer, "task": .string,
        ]),
    ]

    /// What the collection lacks, as the rest of a sentence about the rule; nil if it lacks nothing.
    func missing(in collection: Collection) -> String? {
        if let scope, collection.scope != scope { return "is for the collection of x-scope \(scope.rawValue)" }
        for (name, kind) in fields.sorted(by: { $0.key < $1.key }) where collection.field(name)?.value.kind != kind {
            let isRemoved = collection.removedFields.contains { $0.name == name }
            return "needs a field \(name) of the type \(kind.rawValue)" + (isRemoved ? ", but \(name) is removed" : "")
        }
        guard let name = references.first(where: { collection.field($0)?.reference == nil }) else { return nil }
        return "needs x-ref in the field \(name)"
    }
}
