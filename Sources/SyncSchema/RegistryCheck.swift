import SyncProtocol

/// Checks what a field's own keywords can't show: names that must exist in another file or elsewhere in the file, and
/// settings that don't work together. A schema that passes can be served: no write makes the server fail, and what the
/// schema says about access holds.
struct RegistryCheck {
    let registry: Registry

    init(_ registry: Registry) { self.registry = registry }

    func run() throws(SchemaError) {
        try checkScope(.project)
        try checkScope(.membership)
        try checkProjects()
        try checkMemberships()
        for collection in registry.collections {
            try checkName(collection)
            try checkFields(collection)
            try checkEditTime(of: collection)
            try checkVisibility(collection)
            try checkKeys(collection)
            try checkRules(collection)
        }
    }

    func error(_ collection: Collection, _ pointer: String, _ reason: String) -> SchemaError {
        SchemaError(file: collection.name, pointer: pointer, reason: reason)
    }

    /// The field with that name. Throws if there is none.
    func field(_ name: String, of collection: Collection, at pointer: String) throws(SchemaError) -> Field {
        if let field = collection.field(name) { return field }
        let isRemoved = collection.removedFields.contains { $0.name == name }
        let reason = isRemoved ? "\(name) is removed, but is needed here" : "there is no field \(name)"
        throw error(collection, pointer, reason)
    }

    private func checkScope(_ scope: Collection.Scope) throws(SchemaError) {
        let count = registry.collections.count { $0.scope == scope }
        guard count == 1 else {
            throw SchemaError(
                file: "", pointer: "/x-scope", reason: "one collection must have the scope \(scope), not \(count)")
        }
    }

    private func checkName(_ collection: Collection) throws(SchemaError) {
        guard collection.scope != .project || collection.name == "projects" || registry["projects"] != nil else {
            throw error(
                collection, "/title",
                "the collection of x-scope project must be called projects, because clients know it by this name; "
                    + "rename the file and its title")
        }
        guard collection.name == "projects", collection.scope != .project else { return }
        throw error(
            collection, "/title",
            "projects is a path of the server; only the collection of x-scope project can have it")
    }

    private func checkRules(_ collection: Collection) throws(SchemaError) {
        for name in collection.rules {
            if let missing = name.missing(in: collection) {
                throw error(collection, "/x-rules", "\(name.rawValue) \(missing); add it, or remove the rule")
            }
        }
    }

    // MARK: Fields

    private func checkFields(_ collection: Collection) throws(SchemaError) {
        for field in collection.fields {
            let pointer = "/properties/\(field.name)"
            if let target = field.reference?.collection, registry[target] == nil {
                throw error(
                    collection, pointer + "/x-ref",
                    registry.removed.contains(target)
                        ? "\(target) is removed: remove this field too, or its x-ref"
                        : "there is no collection \(target)")
            }
            try checkSource(of: field, in: collection, pointer + "/x-value")
            try checkAuthor(of: field, in: collection, pointer + "/x-author")
        }
    }

    /// Checks that clients can write the edit time: whoever may change a row may send it.
    private func checkEditTime(of collection: Collection) throws(SchemaError) {
        guard collection.uploads != .none else { return }
        let pointer = "/properties/\(EditTime.name)"
        let keyword = collection.uploads == .userWide ? "x-uploadable-user-wide" : "x-uploadable"
        let field = try field(EditTime.name, of: collection, at: pointer)
        let isKey = collection.uniqueKeys.contains { $0.fields.contains(field.name) || $0.condition[field.name] != nil }
        guard collection.editTime != nil, field.writeRole == nil, !field.isRequired, !isKey, field.value.isFree else {
            throw error(
                collection, pointer,
                "in an uploadable collection it is the time at which a client edited the row: it must have the format "
                    + "date-time, no other keyword that limits it, and no part in x-unique; and clients must be able "
                    + "to leave it out and to write it. Rename your field, or set \"\(keyword)\": false")
        }
    }

    /// Checks the field that a server-owned value is made from.
    private func checkSource(of field: Field, in collection: Collection, _ pointer: String) throws(SchemaError) {
        guard let (name, kind, word) = field.serverValue?.source else { return }
        guard let source = collection.field(name), source.value.kind == kind else {
            throw error(collection, pointer, "is made from a field \(name) of the type \(kind.rawValue); add it")
        }
        guard let word, (try? source.value.normalized(word)) == nil else { return }
        throw error(collection, pointer, "\(name) can never be \(word.text); allow it, or remove x-value")
    }

    /// Checks the field that names the author: whoever could enter themselves there could change the field.
    private func checkAuthor(of field: Field, in collection: Collection, _ pointer: String) throws(SchemaError) {
        guard let name = field.author, let role = field.writeRole else { return }
        let author = try self.field(name, of: collection, at: pointer)
        guard author.serverValue == .caller || author.user != nil else {
            throw error(collection, pointer, "\(name) does not hold a user: it needs x-value: caller, or x-user")
        }
        guard author.isServerOwned || (author.writeRole ?? .viewer) >= role else {
            throw error(
                collection, pointer,
                "whoever may write \(name) could write \(field.name) too: give it the same x-role, or x-value: caller")
        }
    }
}

extension Field.ServerValue {
    /// The field that the value is made from, and the value there that it waits for.
    fileprivate var source: (name: String, kind: ValueSchema.Kind, word: JSON?)? {
        switch self {
        case .acceptedAt: ("state", .string, "accepted")
        case .declinedAt: ("state", .string, "declined")
        case .linkProvider: ("url", .string, nil)
        case .displayName: ("user", .integer, nil)
        case .project, .shortID, .caller, .createdAt, .updatedAt: nil
        }
    }
}
