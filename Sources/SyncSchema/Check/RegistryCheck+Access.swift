import SyncProtocol

/// Checks visibility and unique keys.
extension RegistryCheck {
    func checkVisibility(_ collection: Collection) throws(SchemaError) {
        guard collection.visibility == .everyone || collection.scope == .ordinary else {
            throw error(
                collection, "/x-visibility", "every member sees the rows of x-scope \(collection.scope); remove it")
        }
        switch collection.visibility {
        case .everyone: break
        case .own(let field): try checkOwn(field, collection)
        case .gate(let field, let value, let role): try checkGate(field, value, role, collection)
        case .inherited(let field): try checkInherited(field, collection)
        }
    }

    private func checkOwn(_ name: String, _ collection: Collection) throws(SchemaError) {
        let pointer = "/x-visibility/own"
        let field = try field(name, of: collection, at: pointer)
        guard field.serverValue == .caller || field.user != nil else {
            throw error(collection, pointer, "\(name) must hold a user: x-user, or readOnly with x-value: caller")
        }
    }

    private func checkGate(
        _ name: String, _ value: JSON, _ role: Role, _ collection: Collection
    ) throws(SchemaError) {
        let field = try field(name, of: collection, at: "/x-visibility/gate/field")
        try checkPlain(field, collection, "/x-visibility/gate/field")
        try check(value, of: field, collection, "/x-visibility/gate/value")
        guard role > .viewer else {
            throw error(
                collection, "/x-visibility/gate/role", "every member is at least a VIEWER; name a higher role")
        }
    }

    private func checkInherited(_ name: String, _ collection: Collection) throws(SchemaError) {
        let pointer = "/x-visibility/inherit"
        let field = try field(name, of: collection, at: pointer)
        guard let parent = field.reference.flatMap({ registry[$0.collection] }), case .gate = parent.visibility else {
            throw error(collection, pointer, "\(name) must refer to a collection with a gate")
        }
        // This also refuses a list, which can only be cleared.
        guard field.reference?.onDelete != .clear else {
            throw error(
                collection, pointer,
                "if the reference were cleared, everybody would see the row: "
                    + "\(name) must be one reference with cascade or restrict"
            )
        }
    }

    func checkKeys(_ collection: Collection) throws(SchemaError) {
        for (index, key) in collection.uniqueKeys.enumerated() {
            let pointer = "/x-unique/\(index)"
            guard Set(key.fields).count == key.fields.count else {
                throw error(collection, pointer + "/fields", "names a field twice")
            }
            for name in key.fields {
                let field = try field(name, of: collection, at: pointer + "/fields")
                try checkPlain(field, collection, pointer + "/fields")
                guard field.serverValue != .updatedAt else {
                    throw error(collection, pointer + "/fields", "\(name) is updated-at, which no client can correct")
                }
            }
            for (name, value) in key.condition.sorted(by: { $0.key < $1.key }) {
                let field = try field(name, of: collection, at: pointer + "/where")
                try checkPlain(field, collection, pointer + "/where/\(name)")
                guard !value.isNull else {
                    throw error(collection, pointer + "/where/\(name)", "can't be null; such a row has no key")
                }
                try check(value, of: field, collection, pointer + "/where/\(name)")
            }
        }
    }

    private func checkPlain(_ field: Field, _ collection: Collection, _ pointer: String) throws(SchemaError) {
        guard field.value.isStructured else { return }
        throw error(collection, pointer, "\(field.name) is a list or an object, which can't be compared here")
    }

    /// Throws unless the value is in the field's normal form. Another
    /// value, or the same in another form, would never match.
    private func check(
        _ value: JSON, of field: Field, _ collection: Collection, _ pointer: String
    ) throws(SchemaError) {
        do throws(Violation) {
            guard try field.value.normalized(value) != value else { return }
            throw Violation(.badFormat, "must be \(try field.value.normalized(value).text)")
        } catch let violation {
            throw error(collection, pointer, "\(field.name) \(violation.detail)")
        }
    }
}
