import SyncProtocol
import SyncValues

/// Reads the parts of a schema file, for `Collection.init`.
extension Collection {
    static func checkHeader(_ reader: inout SchemaReader, file: String) throws(SchemaError) {
        guard try reader.string("$schema") == "urn:tidemark:meta-schema" else {
            throw reader.error("must be \"urn:tidemark:meta-schema\"", at: "$schema")
        }
        _ = try reader.string("$id")
        guard Naming.isName(file), try reader.string("title") == file else {
            throw reader.error("must be the file's name, lower case with digits and _", at: "title")
        }
        guard !Naming.paths.contains(file) else {
            throw reader.error("\(file) is a path of the server; give the collection another name", at: "title")
        }
        guard try reader.string("type") == "object" else { throw reader.error("must be \"object\"", at: "type") }
    }

    static func uploads(_ reader: inout SchemaReader, _ scope: Scope) throws(SchemaError) -> Uploads {
        let all = "x-uploadable"
        let userWide = "x-uploadable-user-wide"
        let isUploadable = try reader.flag(all)
        let isUserWide = try reader.take(userWide, \.bool, type: "a boolean")
        guard scope == .project else {
            guard isUserWide == nil else {
                throw reader.error("is for the collection of x-scope project; use \(all) here", at: userWide)
            }
            return isUploadable ? .all : .none
        }
        guard !isUploadable else {
            throw reader.error("a batch of one project can't hold projects; use \(userWide) here", at: all)
        }
        return isUserWide ?? true ? .userWide : .none
    }

    static func roles(_ reader: inout SchemaReader) throws(SchemaError) -> Roles {
        guard var object = try reader.object("x-roles") else {
            throw reader.error("is missing: say who may create, update and delete", at: "x-roles")
        }
        let roles = Roles(
            create: try verb("create", &object), update: try verb("update", &object),
            delete: try verb("delete", &object), author: Set(try changes("author", &object)),
            listed: Set(try changes("listed", &object)))
        try object.finish()
        return roles
    }

    private static func changes(_ name: String, _ object: inout SchemaReader) throws(SchemaError) -> [Roles.Change] {
        var changes: [Roles.Change] = []
        for word in try object.strings(name) ?? [] {
            guard let change = Roles.Change(rawValue: word) else {
                throw object.error("can have update and delete, not \"\(word)\"", at: name)
            }
            changes.append(change)
        }
        return changes
    }

    private static func verb(_ name: String, _ object: inout SchemaReader) throws(SchemaError) -> Role? {
        guard let word = try object.string(name) else { throw object.error("is missing", at: name) }
        if word == "ANYONE" { return nil }
        guard let role = Role(word: word) else { throw object.error("\"\(word)\" is not a role", at: name) }
        return role
    }

    /// The live fields, and those that are removed.
    static func fields(
        _ reader: inout SchemaReader, _ scope: Scope
    ) throws(SchemaError) -> (live: [Field], removed: [Field]) {
        let required = Set(try reader.strings("required") ?? [])
        guard let properties = try reader.object("properties") else {
            throw reader.error("is missing", at: "properties")
        }
        var (live, removed): ([Field], [Field]) = ([], [])
        for (name, value) in properties.entries() {
            var member = try SchemaReader(file: properties.file, pointer: "\(properties.pointer)/\(name)", value)
            let isRemoved = try member.flag("x-removed")
            let field = try Field(name: name, isRequired: required.contains(name), in: scope, member)
            if isRemoved { removed.append(field) } else { live.append(field) }
        }
        guard live.count + removed.count <= maximumFields else {
            throw reader.error("a collection has at most \(maximumFields) fields; split it in two", at: "properties")
        }
        if let unknown = required.subtracting((live + removed).map(\.name)).min() {
            throw reader.error("\"\(unknown)\" is not a property", at: "required")
        }
        if let owned = live.first(where: { $0.isRequired && $0.isServerOwned }) {
            throw reader.error(
                "\(owned.name) is readOnly: the server fills it, and no client can send it. Remove it from the list",
                at: "required")
        }
        return (live, removed)
    }

    /// SQLite allows 2000 columns: https://sqlite.org/limits.html#max_column
    private static let maximumFields = 1000

    /// The rules that the file names. The rules of memberships always apply, even if the file leaves them out.
    static func rules(_ reader: inout SchemaReader, _ scope: Scope) throws(SchemaError) -> [RuleName] {
        var named: [RuleName] = []
        for name in try reader.strings("x-rules") ?? [] {
            guard let rule = RuleName(rawValue: name) else {
                let names = RuleName.allCases.map(\.rawValue).sorted().joined(separator: ", ")
                throw reader.error("there is no rule \(name); the rules are \(names)", at: "x-rules")
            }
            named.append(rule)
        }
        guard scope == .membership else { return named }
        return named + [.knownUser, .grantedRoles, .lastOwner].filter { !named.contains($0) }
    }

    /// Who sees the rows: every member if the file does not say.
    static func visibility(_ reader: inout SchemaReader) throws(SchemaError) -> Visibility {
        guard var object = try reader.object("x-visibility") else { return .everyone }
        if let field = try object.string("own") {
            let role = try object.role("role")
            try object.finish()
            return role.map { .listed(fields: [field], role: $0) } ?? .own(field: field)
        }
        if let fields = try object.strings("listed") {
            let role = try object.role("role")
            try object.finish()
            return .listed(fields: fields, role: role)
        }
        if let field = try object.string("inherit") {
            try object.finish()
            return .inherited(field: field)
        }
        guard var gate = try object.object("gate"), let field = try gate.string("field"),
            let value = gate.take("value"),
            let role = try gate.role("role")
        else { throw object.error("needs own, listed, inherit, or gate with field, value and role") }
        try gate.finish()
        try object.finish()
        return .gate(field: field, value: value, role: role)
    }

    /// The keys that the file names. Memberships always have one on the user, even if the file leaves it out.
    static func uniqueKeys(
        _ reader: inout SchemaReader, fields: [Field], scope: Scope
    ) throws(SchemaError) -> [UniqueKey] {
        var keys: [UniqueKey] = []
        for (index, json) in (try reader.take("x-unique", \.array, type: "a list") ?? []).enumerated() {
            var object = try SchemaReader(file: reader.file, pointer: "\(reader.pointer)/x-unique/\(index)", json)
            guard let fields = try object.strings("fields"), !fields.isEmpty else {
                throw object.error("needs fields")
            }
            let condition = try object.take("where", \.object, type: "an object") ?? [:]
            try object.finish()
            keys.append(UniqueKey(fields: fields, condition: condition))
        }
        guard scope == .membership, !keys.contains(where: { $0.isOfUser(fields) }) else { return keys }
        return keys + [UniqueKey(fields: ["user"], condition: [:], isImplied: true)]
    }
}

extension Collection.UniqueKey {
    /// Whether the key means that a user is a member only once in a project.
    fileprivate func isOfUser(_ all: [Field]) -> Bool {
        let ofProject = Set(all.filter { $0.serverValue == .project }.map(\.name))
        return condition.isEmpty && Set(fields).subtracting(ofProject) == ["user"]
    }
}

extension ValueSchema {
    /// Allows only the numbers of the roles, for a membership's role. A file may leave some of them out.
    mutating func allowRoles() {
        let roles = Role.allCases.map { JSON.int(Int64($0.rawValue)) }
        allowed = allowed.map { named in roles.filter(named.contains) } ?? roles
    }
}

extension JSON {
    /// A collection's document without some of its fields. The text is the same if there are none.
    func without(_ fields: [String]) -> JSON {
        guard !fields.isEmpty, var members = object else { return self }
        if let properties = members["properties"]?.object {
            members["properties"] = .object(properties.filter { !fields.contains($0.key) })
        }
        if let required = members["required"]?.array {
            members["required"] = .array(required.filter { !fields.contains($0.string ?? "") })
        }
        return .object(members)
    }
}
