/// The order in which a drain serves collections: the project first, then every collection behind those that it refers
/// to, and by `x-order` and name where references leave a choice.
enum DrainOrder {
    static func sorted(_ collections: [Collection]) throws(SchemaError) -> [Collection] {
        var rest = collections.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
        var sorted: [Collection] = []
        let known = Set(collections.map(\.name))
        var placed: Set<String> = []
        while !rest.isEmpty {
            guard let next = rest.firstIndex(where: { parents(of: $0).intersection(known).isSubset(of: placed) }) else {
                let names = rest.map(\.name).joined(separator: ", ")
                throw SchemaError(
                    file: rest[0].name, pointer: "/properties", reason: "references in a circle: \(names)")
            }
            placed.insert(rest[next].name)
            sorted.append(rest.remove(at: next))
        }
        return sorted
    }

    /// A project refers to what belongs to it, and a row to its own kind; neither says anything about the order.
    private static func parents(of collection: Collection) -> Set<String> {
        guard collection.scope != .project else { return [] }
        return Set(collection.fields.compactMap(\.reference?.collection)).subtracting([collection.name])
    }
}
