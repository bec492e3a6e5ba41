import SyncProtocol

/// What a single schema file can't get wrong by itself: names that must exist in another file or at another place.
struct RegistryCheck {
    let registry: Registry

    init(_ registry: Registry) { self.registry = registry }

    func run() throws(SchemaError) {
        try checkScope(.project)
        try checkScope(.membership)
        try check(["user", "role"], of: registry.memberships, "/x-scope")
        for collection in registry.collections {
            try checkFields(collection)
            try checkVisibility(collection)
            for key in collection.uniqueKeys { try check(key.fields + key.condition.keys, of: collection, "x-unique") }
        }
    }

    private func checkScope(_ scope: Collection.Scope) throws(SchemaError) {
        let count = registry.collections.count { $0.scope == scope }
        guard count == 1 else {
            throw SchemaError(
                file: "", pointer: "/x-scope", reason: "one collection must have the scope \(scope), not \(count)")
        }
    }

    private func checkFields(_ collection: Collection) throws(SchemaError) {
        for field in collection.fields {
            let pointer = "/properties/\(field.name)"
            if let target = field.reference?.collection, registry[target] == nil {
                let reason =
                    registry.removed.contains(target)
                    ? "\(target) is removed: remove this field too, or its x-ref" : "no collection \(target)"
                throw SchemaError(file: collection.name, pointer: pointer + "/x-ref", reason: reason)
            }
            if [.acceptedAt, .declinedAt].contains(field.serverValue) {
                try check(["state"], of: collection, pointer + "/x-value")
            }
            if let author = field.author { try check([author], of: collection, pointer + "/x-author") }
        }
    }

    private func checkVisibility(_ collection: Collection) throws(SchemaError) {
        switch collection.visibility {
        case .everyone: break
        case .own(let field), .gate(let field, _, _): try check([field], of: collection, "/x-visibility")
        case .inherited(let field):
            try check([field], of: collection, "/x-visibility")
            guard let parent = collection.field(field)?.reference.flatMap({ registry[$0.collection] }),
                case .gate = parent.visibility
            else {
                throw SchemaError(
                    file: collection.name, pointer: "/x-visibility",
                    reason: "\(field) must refer to a collection with a gate")
            }
        }
    }

    private func check(_ fields: [String], of collection: Collection, _ pointer: String) throws(SchemaError) {
        for name in fields where collection.field(name) == nil {
            let isRemoved = collection.removedFields.contains { $0.name == name }
            throw SchemaError(
                file: collection.name, pointer: pointer,
                reason: isRemoved ? "\(name) is removed, and is needed here" : "\(name) is no field")
        }
    }
}
