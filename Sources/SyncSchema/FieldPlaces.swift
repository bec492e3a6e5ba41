package import SyncProtocol

/// Which of a collection's fields are what, by position: worked out once, since every row that is written is asked.
package struct FieldPlaces: Sendable {
    /// What the values of a row are that nobody gave any.
    package let fallbacks: [JSON]
    /// A new row must have them.
    package let required: [Int]
    /// The server fills them.
    package let serverValued: [Int]
    /// Rows are looked up by them: they refer to rows or to users.
    package let lookedUp: [Int]
    /// Of those, the ones to a row that takes this one along when it goes.
    package let cascading: [Int]
    /// Of those, the ones to another row of the same collection.
    package let trees: [Int]

    init(_ fields: [Field], of collection: String) {
        fallbacks = fields.map(\.fallback)
        required = fields.indices.filter { fields[$0].isRequired }
        serverValued = fields.indices.filter { fields[$0].serverValue != nil }
        lookedUp = fields.indices.filter { fields[$0].isLookedUp }
        cascading = fields.indices.filter { fields[$0].reference?.onDelete == .cascade }
        trees = cascading.filter { fields[$0].reference.map { $0.collection == collection && !$0.isList } ?? false }
    }
}
