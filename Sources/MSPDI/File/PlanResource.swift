/// One `Resource` of the file.
struct PlanResource {
    var uid: Int?
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
        uid = fields.integer("UID")
        name = fields.text("Name") ?? ""
        email = fields.text("EmailAddress")
        account = fields.text("NTAccount")
        // Project writes a nameless resource 0 for work that is assigned to nobody.
        if !name.isEmpty { fields.tallyOmitted() }
    }
}
