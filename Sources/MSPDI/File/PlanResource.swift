/// One `Resource` of the file.
struct PlanResource {
    /// A material is used up, a cost is only an amount: neither is somebody, whatever its name.
    enum Kind {
        case work, material, cost
    }

    var uid: Int?
    /// What the file has instead of a UID, if it has anything.
    var uidText: String?
    var kind = Kind.work
    var name: String
    var email: String?
    /// A Windows account, `DOMAIN\name`.
    var account: String?

    init(uid: Int? = nil, name: String, email: String?, account: String?) {
        self.uid = uid
        self.name = name
        self.email = email
        self.account = account
    }

    init(_ fields: Fields) {
        uid = fields.uid("UID")
        uidText = uid == nil ? fields.text("UID") : nil
        kind = PlanResource.kind(fields)
        name = fields.text("Name") ?? ""
        email = fields.text("EmailAddress")
        account = fields.text("NTAccount")
        // Project writes a nameless resource 0 for work that is assigned to nobody.
        if !name.isEmpty { fields.tallyOmitted() }
    }

    /// Project 2007 writes a cost as a material that `IsCostResource`; later versions have a type for it.
    private static func kind(_ fields: Fields) -> Kind {
        if fields.flag("IsCostResource") == true { return .cost }
        return switch fields.integer("Type") {
        case 0: .material
        case 2: .cost
        default: .work
        }
    }
}
