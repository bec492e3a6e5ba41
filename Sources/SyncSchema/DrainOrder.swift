/// The order in which a drain serves collections: every collection after the collections that it refers to. Where
/// references leave a choice, `x-order` decides, then the name.
enum DrainOrder {
    /// Throws a `SchemaError` if the references make a cycle.
    static func sorted(_ collections: [Collection]) throws(SchemaError) -> [Collection] {
        var rest = collections.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
        var sorted: [Collection] = []
        let known = Set(collections.map(\.name))
        var placed: Set<String> = []
        while !rest.isEmpty {
            guard let next = rest.firstIndex(where: { parents(of: $0).intersection(known).isSubset(of: placed) }) else {
                let names = rest.map(\.name).joined(separator: ", ")
                throw SchemaError(
                    file: rest[0].name, pointer: "/properties", reason: "the references make a cycle: \(names)")
            }
            placed.insert(rest[next].name)
            sorted.append(rest.remove(at: next))
        }
        return sorted
    }

    /// The collections that must come first. The references of a project,
    /// and those of a collection to itself, don't count.
    private static func parents(of collection: Collection) -> Set<String> {
        guard collection.scope != .project else { return [] }
        return Set(collection.fields.compactMap(\.reference?.collection)).subtracting([collection.name])
    }
}
