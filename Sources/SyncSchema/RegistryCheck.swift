import SyncProtocol
import SyncValues

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
            try checkAuthors(of: collection)
            try checkEditTime(of: collection)
            try checkVisibility(collection)
            try checkFollows(collection)
            try checkKeys(collection)
            try checkRules(collection)
        }
    }

    func error(_ collection: Collection, at pointer: String, _ reason: String) -> SchemaError {
        SchemaError(file: collection.name, pointer: pointer, reason: reason)
    }

    /// The field with that name. Throws if there is none.
    func field(_ name: String, of collection: Collection, at pointer: String) throws(SchemaError) -> Field {
        if let field = collection.field(name) { return field }
        let isRemoved = collection.removedFields.contains { $0.name == name }
        let reason = isRemoved ? "\(name) is removed, but is needed here" : "there is no field \(name)"
        throw error(collection, at: pointer, reason)
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
                collection, at: "/title",
                "the collection of x-scope project must be called projects, because clients know it by this name; "
                    + "rename the file and its title")
        }
        guard collection.name == "projects", collection.scope != .project else { return }
        throw error(
            collection, at: "/title",
            "projects is a path of the server; only the collection of x-scope project can have it")
    }

    private func checkRules(_ collection: Collection) throws(SchemaError) {
        for name in collection.rules {
            if let missing = name.missing(in: collection) {
                throw error(
                    collection, at: "/x-rules", "\(name.rawValue) \(missing); add it, or remove the rule")
            }
        }
    }

    // MARK: Fields

    private func checkFields(_ collection: Collection) throws(SchemaError) {
        for field in collection.fields {
            let pointer = "/properties/\(field.name)"
            if let target = field.reference?.collection, registry[target] == nil {
                throw error(
                    collection, at: pointer + "/x-ref",
                    registry.removed.contains(target)
                        ? "\(target) is removed: remove this field too, or its x-ref"
                        : "there is no collection \(target)")
            }
            try checkSource(of: field, in: collection, pointer + "/x-value")
            try checkAuthor(of: field, in: collection, pointer + "/x-author")
            try checkBlob(of: field, in: collection, pointer + "/x-blob")
        }
    }

    /// Checks the fields that tell of a file: that the server can write them, and that no client writes the state.
    private func checkBlob(of field: Field, in collection: Collection, _ pointer: String) throws(SchemaError) {
        guard let blob = field.blob else { return }
        let telling = collection.fields.compactMap(\.blob).flatMap { [$0.state, $0.size] }.compactMap(\.self)
        for name in [blob.state, blob.size].compactMap(\.self) where telling.count(where: { $0 == name }) > 1 {
            throw error(collection, at: pointer, "\(name) can tell of one thing only")
        }
        if let name = blob.state {
            let state = try self.field(name, of: collection, at: pointer + "/state")
            let words = Field.BlobState.allCases.map { JSON.string($0.rawValue) }
            guard state.isServerOwned, state.serverValue == nil, state.fallback == words[0],
                words.allSatisfy({ (try? state.value.normalized($0)) != nil })
            else {
                throw error(
                    collection, at: pointer + "/state",
                    "\(name) must be readOnly, a string with the default \(words[0].text), and allow "
                        + words.dropFirst().map(\.text).joined(separator: ", "))
            }
        }
        guard let name = blob.size else { return }
        let size = try self.field(name, of: collection, at: pointer + "/size")
        guard size.value.kind == .integer, !size.isLookedUp, size.serverValue == nil, size.value.allowed == nil,
            size.value.maximum == nil, (size.value.minimum ?? 0) <= 0, (size.value.exclusiveMinimum ?? -1) < 0
        else {
            throw error(
                collection, at: pointer + "/size", "\(name) must be an integer without limits but a minimum of 0")
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
                collection, at: pointer,
                "in an uploadable collection it is the time at which a client edited the row: it must have the format "
                    + "date-time, no other keyword that limits it, and no part in x-unique; and clients must be able "
                    + "to leave it out and to write it. Rename your field, or set \"\(keyword)\": false")
        }
    }

    /// Checks the field that a server-owned value is made from.
    private func checkSource(of field: Field, in collection: Collection, _ pointer: String) throws(SchemaError) {
        guard let (name, kind, word) = field.serverValue?.source else { return }
        guard let source = collection.field(name), source.value.kind == kind else {
            throw error(
                collection, at: pointer, "is made from a field \(name) of the type \(kind.rawValue); add it")
        }
        guard let word, (try? source.value.normalized(word)) == nil else { return }
        throw error(collection, at: pointer, "\(name) can never be \(word.text); allow it, or remove x-value")
    }

    /// Checks that rows whose authors may do more have one author each, and that those whose listed users may have
    /// some.
    private func checkAuthors(of collection: Collection) throws(SchemaError) {
        guard collection.roles.listed.isEmpty || collection.document["x-visibility"]?["listed"] != nil else {
            throw error(
                collection, at: "/x-roles/listed",
                "is for the users in the fields of \"x-visibility\": {\"listed\": …}, which is missing"
            )
        }
        guard !collection.roles.author.isEmpty else { return }
        let pointer = "/x-roles/author"
        guard collection.scope == .ordinary else {
            throw error(collection, at: pointer, "only rows of a project have authors who may do more; remove it")
        }
        guard collection.places.authors.count == 1 else {
            throw error(
                collection, at: pointer,
                "exactly one field must have \"x-value\": \"caller\", which names the author, and "
                    + "\(collection.places.authors.count) have")
        }
    }

    /// Checks the field that names the author: whoever could enter themselves there could change the field.
    private func checkAuthor(of field: Field, in collection: Collection, _ pointer: String) throws(SchemaError) {
        guard let name = field.author, let role = field.writeRole else { return }
        let author = try self.field(name, of: collection, at: pointer)
        guard author.holdsUser else {
            throw error(
                collection, at: pointer, "\(name) does not hold a user: it needs x-value: caller, or x-user")
        }
        guard author.isServerOwned || (author.writeRole ?? .viewer) >= role else {
            throw error(
                collection, at: pointer,
                "whoever may write \(name) could write \(field.name) too: give it the same x-role, or x-value: caller"
            )
        }
    }
}

extension Collection.Visibility {
    /// Whether rows that belong to such a row can inherit from it who sees them.
    fileprivate var isHeritable: Bool {
        switch self {
        case .everyone, .own: false
        case .listed, .gate, .inherited, .inheritedList: true
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

/// Checks visibility and unique keys.
extension RegistryCheck {
    func checkVisibility(_ collection: Collection) throws(SchemaError) {
        guard collection.visibility == .everyone || collection.scope == .ordinary else {
            throw error(
                collection, at: "/x-visibility",
                "every member sees the rows of x-scope \(collection.scope); remove it")
        }
        switch collection.visibility {
        case .everyone: break
        case .own(let field): try checkOwn(field, collection)
        case .listed(let fields, let role): try checkListed(fields, role: role, in: collection)
        case .gate(let field, let value, let role): try checkGate(field, value: value, role: role, in: collection)
        case .inherited(let field): try checkInherited(field, collection)
        case .inheritedList(let name, _):
            try checkInherited(name, collection)
            guard collection.field(name)?.value.isNullable == false else {
                throw error(
                    collection, at: "/x-visibility/inherit",
                    "without \(name) nobody could see the row: the reference can't be null where listed decides")
            }
        }
    }

    private func checkOwn(_ name: String, _ collection: Collection) throws(SchemaError) {
        let pointer = "/x-visibility/own"
        let field = try field(name, of: collection, at: pointer)
        guard field.holdsUser else {
            throw error(
                collection, at: pointer, "\(name) must hold a user: x-user, or readOnly with x-value: caller")
        }
    }

    private func checkListed(
        _ names: [String], role: Role?, in collection: Collection
    ) throws(SchemaError) {
        let isOwn = collection.document["x-visibility"]?["own"] != nil
        let pointer = isOwn ? "/x-visibility/own" : "/x-visibility/listed"
        guard (1...RegistryCheck.mostLists).contains(names.count), Set(names).count == names.count else {
            throw error(
                collection, at: pointer, "names one to \(RegistryCheck.mostLists) fields, each of them once")
        }
        var users = 0
        for name in names {
            let field = try field(name, of: collection, at: pointer)
            guard field.holdsUser || field.holdsUsers && !isOwn else {
                let list = isOwn ? "" : ", the latter on a list of integers too"
                throw error(
                    collection, at: pointer,
                    "\(name) must hold a user: readOnly with x-value: caller, or x-user\(list)")
            }
            users += field.holdsUsers ? field.value.maxItems ?? Field.mostUsers : 1
        }
        guard users <= RegistryCheck.mostListed else {
            throw error(
                collection, at: pointer,
                "the fields hold up to \(users) users; a row can be listed for \(RegistryCheck.mostListed) at most: "
                    + "lower a maxItems")
        }
        guard role.map({ $0 > .viewer }) ?? true else {
            throw error(
                collection, at: "/x-visibility/role", "every member is at least a VIEWER; name a higher role")
        }
    }

    /// The most fields of which `listed` says who sees a row, and the most users in them together.
    private static let mostLists = 4
    private static let mostListed = 64

    private func checkGate(
        _ name: String, value: JSON, role: Role, in collection: Collection
    ) throws(SchemaError) {
        let field = try field(name, of: collection, at: "/x-visibility/gate/field")
        try checkPlain(field, in: collection, at: "/x-visibility/gate/field")
        try check(value, of: field, in: collection, at: "/x-visibility/gate/value")
        guard role > .viewer else {
            throw error(
                collection, at: "/x-visibility/gate/role",
                "every member is at least a VIEWER; name a higher role")
        }
    }

    private func checkInherited(_ name: String, _ collection: Collection) throws(SchemaError) {
        let pointer = "/x-visibility/inherit"
        let field = try field(name, of: collection, at: pointer)
        // References between collections have no cycle, so a chain of them ends with a gate or a list.
        let parent = field.reference.flatMap { registry[$0.collection] }
        guard let parent, parent.name != collection.name, parent.visibility.isHeritable else {
            throw error(
                collection, at: pointer, "\(name) must refer to another collection, one with gate, listed or inherit")
        }
        // This also refuses a list, which can only be cleared.
        guard field.reference?.onDelete != .clear else {
            throw error(
                collection, at: pointer,
                "if the reference were cleared, everybody would see the row: "
                    + "\(name) must be one reference with cascade or restrict"
            )
        }
    }

    func checkKeys(_ collection: Collection) throws(SchemaError) {
        for (index, key) in collection.uniqueKeys.enumerated() {
            let pointer = "/x-unique/\(index)"
            guard Set(key.fields).count == key.fields.count else {
                throw error(collection, at: pointer + "/fields", "names a field twice")
            }
            for name in key.fields {
                let field = try field(name, of: collection, at: pointer + "/fields")
                try checkPlain(field, in: collection, at: pointer + "/fields")
                guard field.serverValue != .updatedAt else {
                    throw error(
                        collection, at: pointer + "/fields",
                        "\(name) is updated-at, which no client can correct")
                }
            }
            for (name, value) in key.condition.sorted(by: { $0.key < $1.key }) {
                let field = try field(name, of: collection, at: pointer + "/where")
                try checkPlain(field, in: collection, at: pointer + "/where/\(name)")
                guard !value.isNull else {
                    throw error(
                        collection, at: pointer + "/where/\(name)", "can't be null; such a row has no key")
                }
                try check(value, of: field, in: collection, at: pointer + "/where/\(name)")
            }
        }
    }

    private func checkPlain(_ field: Field, in collection: Collection, at pointer: String) throws(SchemaError) {
        guard field.value.isStructured else { return }
        throw error(
            collection, at: pointer, "\(field.name) is a list or an object, which can't be compared here")
    }

    /// Throws unless the value is in the field's normal form. Another
    /// value, or the same in another form, would never match.
    private func check(
        _ value: JSON, of field: Field, in collection: Collection, at pointer: String
    ) throws(SchemaError) {
        do throws(Violation) {
            guard try field.value.normalized(value) != value else { return }
            throw Violation(.badFormat, "must be \(try field.value.normalized(value).text)")
        } catch let violation {
            throw error(collection, at: pointer, "\(field.name) \(violation.detail)")
        }
    }
}

/// Checks projects and memberships. What the server itself does with them
/// must be possible, and only their own roles may permit it.
extension RegistryCheck {
    func checkProjects() throws(SchemaError) {
        let projects = registry.projects
        guard projects.roles.create == nil else {
            throw error(
                projects, at: "/x-roles/create", "nobody has a role before the project exists: use ANYONE")
        }
        guard projects.uniqueKeys.isEmpty else {
            throw error(
                projects, at: "/x-unique", "a key applies within one project, so it would have no effect here")
        }
        try checkCascades(of: projects)
        try checkArchive()
        try checkCalendar()
    }

    /// Refuses cascades that would delete a project or a membership: a delete needs the role only for the row that is
    /// named, not for the rows that it takes along.
    private func checkCascades(of collection: Collection) throws(SchemaError) {
        for field in collection.fields where field.reference?.onDelete == .cascade {
            throw error(
                collection, at: "/properties/\(field.name)/x-ref",
                "deleting what it refers to would delete the \(collection.scope); use clear or restrict")
        }
    }

    private func checkArchive() throws(SchemaError) {
        guard let field = registry.projects.field("is_archived") else { return }
        let isSound = field.value.kind == .boolean && !field.value.isNullable && field.isServerOwned
        guard isSound, field.fallback == false, field.serverValue == nil else {
            throw error(
                registry.projects, at: "/properties/is_archived",
                "the server writes it: it must be a boolean with readOnly and the default false")
        }
    }

    /// Checks that the server can create a new project's calendar, of which only the name is known.
    private func checkCalendar() throws(SchemaError) {
        guard let reference = registry.projects.field("calendar")?.reference,
            let calendars = registry[reference.collection]
        else { return }
        let pointer = "/properties/calendar/x-ref"
        if let field = calendars.fields.first(where: { $0.isRequired && $0.name != "name" }) {
            throw error(
                registry.projects, at: pointer,
                "a new project gets a row of \(calendars.name) with only a name: give \(field.name) there a default"
            )
        }
        guard !reference.isList, calendars.field("name").map({ (try? $0.value.normalized("Standard")) != nil }) ?? true
        else {
            throw error(
                registry.projects, at: pointer,
                "a new project gets a row of \(calendars.name) named Standard and holds its id: allow both")
        }
    }

    func checkMemberships() throws(SchemaError) {
        let memberships = registry.memberships
        for name in ["user", "role"] where memberships.removedFields.contains(where: { $0.name == name }) {
            throw error(memberships, at: "/properties/\(name)", "\(name) is removed, but is needed here")
        }
        guard let user = memberships.field("user"), let role = memberships.field("role") else {
            throw error(
                memberships, at: "/x-scope", "a membership needs the fields user and role, both integers")
        }
        for field in [user, role] {
            let pointer = "/properties/\(field.name)"
            guard field.value.kind == .integer, !field.value.isNullable, !field.isServerOwned else {
                throw error(
                    memberships, at: pointer,
                    "it says who is a member: it must be an integer, not null and not readOnly")
            }
        }
        let owner = JSON.int(Int64(Role.owner.rawValue))
        guard (try? role.value.normalized(owner)) == owner else {
            throw error(
                memberships, at: "/properties/role",
                "a project needs an owner: the roles are 1, 100, 200, 300 and 400")
        }
        if let field = memberships.fields.first(where: { $0.isRequired && !["user", "role"].contains($0.name) }) {
            throw error(
                memberships, at: "/required",
                "the server creates memberships with only a user and a role: give \(field.name) a default instead")
        }
        try checkCascades(of: memberships)
    }
}
