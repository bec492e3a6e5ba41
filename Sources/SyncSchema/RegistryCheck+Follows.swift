import SyncValues

/// Checks which reference a collection follows. Where a pull narrows the collection referred to, a row comes and goes
/// with the row that it refers to. So it must tell nothing about a row that its reader doesn't see, and the chain of
/// rows must be short.
extension RegistryCheck {
    /// A follower of a follower of a follower.
    private static let mostLevels = 3

    func checkFollows(_ collection: Collection) throws(SchemaError) {
        guard let name = collection.follows else { return }
        guard collection.scope == .ordinary else {
            throw error(
                collection, at: "/x-follows",
                "the rows of x-scope \(collection.scope) say what a client may see, so they follow nothing; remove it")
        }
        let field = try field(name, of: collection, at: "/x-follows")
        let target = try followed(by: field, of: collection)
        try checkSight(of: target, from: field, of: collection)
        try checkLevels(above: target, of: collection)
    }

    /// The collection that the field refers to. Throws unless it is another one, by a single reference.
    private func followed(by field: Field, of collection: Collection) throws(SchemaError) -> Collection {
        guard let reference = field.reference, !reference.isList, let target = registry[reference.collection] else {
            throw error(
                collection, at: "/x-follows", "\(field.name) must be one reference: a string with x-ref, not a list")
        }
        guard target.name != collection.name, target.scope != .project else {
            let reason =
                target.scope == .project
                ? "every row comes and goes with its project anyway" : "a row can't follow its own collection"
            throw error(collection, at: "/x-follows", "\(reason); name a reference to another collection, or remove it")
        }
        return target
    }

    /// Who sees a row sees the row that it follows, or could tell from its coming and going what that one holds.
    private func checkSight(
        of target: Collection, from field: Field, of collection: Collection
    ) throws(SchemaError) {
        guard target.visibility != .everyone, collection.visibility.parent != field.name else { return }
        throw error(
            collection, at: "/x-follows",
            "not every member sees \(target.name), so a row would tell what a hidden one holds: remove it, or add "
                + "\"x-visibility\": {\"inherit\": \"\(field.name)\"}")
    }

    /// References between collections have no cycle, so the chain has an end.
    private func checkLevels(above target: Collection, of collection: Collection) throws(SchemaError) {
        var chain = [collection.name, target.name]
        var last = target
        while chain.count <= RegistryCheck.mostLevels + 1, let next = followed(from: last) {
            chain.append(next.name)
            last = next
        }
        guard chain.count > RegistryCheck.mostLevels + 1 else { return }
        throw error(
            collection, at: "/x-follows",
            "a row can follow over at most \(RegistryCheck.mostLevels) references, and this is one more: "
                + "\(chain.joined(separator: " → ")). Remove it here, or further up")
    }

    private func followed(from collection: Collection) -> Collection? {
        guard let name = collection.follows, let reference = collection.field(name)?.reference else { return nil }
        return registry[reference.collection]
    }
}
