package import SyncProtocol

/// The positions of a collection's fields, by what they are for. Computed
/// once, because every row that is written needs them.
package struct FieldPlaces: Sendable {
    /// The values of a new row, by position, where nobody gives any.
    package let fallbacks: [JSON]
    /// Fields for which a new row must bring a value.
    package let required: [Int]
    /// Fields that the server fills.
    package let serverValued: [Int]
    /// Fields by which rows are looked up: they refer to rows or to users.
    package let lookedUp: [Int]
    /// Of those, references to a row that takes this row along when it is deleted.
    package let cascading: [Int]
    /// Of those, references to another row of the same collection.
    package let trees: [Int]
    /// Fields whose values are matched against a pattern, as a whole or in part.
    package let patterned: [Int]

    init(_ fields: [Field], of collection: String) {
        fallbacks = fields.map(\.fallback)
        required = fields.indices.filter { fields[$0].isRequired }
        serverValued = fields.indices.filter { fields[$0].serverValue != nil }
        lookedUp = fields.indices.filter { fields[$0].isLookedUp }
        cascading = fields.indices.filter { fields[$0].reference?.onDelete == .cascade }
        patterned = fields.indices.filter { fields[$0].value.hasPattern }
        trees = cascading.filter { fields[$0].reference.map { $0.collection == collection && !$0.isList } ?? false }
    }
}
