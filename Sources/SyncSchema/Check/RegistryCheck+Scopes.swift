import SyncProtocol

/// Checks projects and memberships. What the server itself does with them
/// must be possible, and only their own roles may permit it.
extension RegistryCheck {
    func checkProjects() throws(SchemaError) {
        let projects = registry.projects
        guard projects.roles.create == nil else {
            throw error(projects, "/x-roles/create", "nobody has a role before the project exists: use ANYONE")
        }
        guard projects.uniqueKeys.isEmpty else {
            throw error(projects, "/x-unique", "a key applies within one project, so it would have no effect here")
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
                collection, "/properties/\(field.name)/x-ref",
                "deleting what it refers to would delete the \(collection.scope); use clear or restrict")
        }
    }

    private func checkArchive() throws(SchemaError) {
        guard let field = registry.projects.field("is_archived") else { return }
        let isSound = field.value.kind == .boolean && !field.value.isNullable && field.isServerOwned
        guard isSound, field.fallback == false, field.serverValue == nil else {
            throw error(
                registry.projects, "/properties/is_archived",
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
                registry.projects, pointer,
                "a new project gets a row of \(calendars.name) with only a name: give \(field.name) there a default")
        }
        guard !reference.isList, calendars.field("name").map({ (try? $0.value.normalized("Standard")) != nil }) ?? true
        else {
            throw error(
                registry.projects, pointer,
                "a new project gets a row of \(calendars.name) named Standard and holds its id: allow both")
        }
    }

    func checkMemberships() throws(SchemaError) {
        let memberships = registry.memberships
        for name in ["user", "role"] where memberships.removedFields.contains(where: { $0.name == name }) {
            throw error(memberships, "/properties/\(name)", "\(name) is removed, but is needed here")
        }
        guard let user = memberships.field("user"), let role = memberships.field("role") else {
            throw error(memberships, "/x-scope", "a membership needs the fields user and role, both integers")
        }
        for field in [user, role] {
            let pointer = "/properties/\(field.name)"
            guard field.value.kind == .integer, !field.value.isNullable, !field.isServerOwned else {
                throw error(
                    memberships, pointer, "it says who is a member: it must be an integer, not null and not readOnly")
            }
        }
        let owner = JSON.int(Int64(Role.owner.rawValue))
        guard (try? role.value.normalized(owner)) == owner else {
            throw error(
                memberships, "/properties/role", "a project needs an owner: the roles are 1, 100, 200, 300 and 400")
        }
        if let field = memberships.fields.first(where: { $0.isRequired && !["user", "role"].contains($0.name) }) {
            throw error(
                memberships, "/required",
                "the server creates memberships with only a user and a role: give \(field.name) a default instead")
        }
        try checkCascades(of: memberships)
    }
}
