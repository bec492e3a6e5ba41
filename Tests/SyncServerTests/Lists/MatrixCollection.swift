import SyncProtocol

/// The collections of the matrix: who sees a row, and who may change it, differs between all of them.
enum MatrixCollection: String, CaseIterable, Sendable {
    /// For their author alone.
    case diaries
    /// For their holder, and for admins.
    case claims
    /// For their author and their readers, and so is what is below: `pages`, and `lines` below these.
    case letters, pages, lines
    /// For those who are named in them, and for admins; `findings` and `photos` are below.
    case inspections, findings, photos
    /// Behind a gate that is closed to viewers; `steps` and `marks` are below.
    case plans, steps, marks
    /// Behind the same gate, which is open.
    case notices

    /// What `x-roles` has.
    struct Rights {
        let create: Role
        let update: Role
        let delete: Role
        var author: [String] = []
        var listed: [String] = []

        fileprivate var json: JSON {
            var roles: [String: JSON] = [
                "create": .string(create.word), "update": .string(update.word), "delete": .string(delete.word),
            ]
            for (name, changes) in [("author", author), ("listed", listed)] where !changes.isEmpty {
                roles[name] = .array(changes.map(JSON.string))
            }
            return .object(roles)
        }
    }

    var rights: Rights {
        switch self {
        case .diaries: Rights(create: .viewer, update: .member, delete: .admin, author: ["update"])
        case .claims: Rights(create: .member, update: .viewer, delete: .admin, author: ["update", "delete"])
        case .letters:
            Rights(
                create: .viewer, update: .admin, delete: .owner, author: ["update", "delete"], listed: ["update"])
        case .pages: Rights(create: .viewer, update: .member, delete: .admin, author: ["delete"])
        case .lines: Rights(create: .member, update: .viewer, delete: .member)
        case .inspections:
            Rights(
                create: .member, update: .admin, delete: .owner, author: ["update"], listed: ["update", "delete"])
        case .findings: Rights(create: .viewer, update: .member, delete: .admin)
        case .photos: Rights(create: .member, update: .viewer, delete: .owner, author: ["delete"])
        case .plans: Rights(create: .member, update: .admin, delete: .owner, author: ["update", "delete"])
        case .steps: Rights(create: .viewer, update: .member, delete: .admin)
        case .marks: Rights(create: .member, update: .viewer, delete: .member, author: ["update"])
        case .notices: Rights(create: .viewer, update: .admin, delete: .owner, author: ["update", "delete"])
        }
    }

    /// The collection whose rows say who sees these.
    var above: MatrixCollection? {
        switch self {
        case .pages: .letters
        case .lines: .pages
        case .findings: .inspections
        case .photos: .findings
        case .steps: .plans
        case .marks: .steps
        case .diaries, .claims, .letters, .inspections, .plans, .notices: nil
        }
    }

    /// Those above, from the top.
    var ancestors: [MatrixCollection] { above.map { $0.ancestors + [$0] } ?? [] }

    /// A change of a field that only admins may write. In inspections it is one of the lists.
    var sealed: [String: JSON] { self == .inspections ? ["reviewers": []] : ["seal": "S"] }

    // MARK: The schema

    var schema: JSON {
        var fields: [String: JSON] = [
            "text": ["type": "string", "default": ""], "seal": ["type": "string", "default": "", "x-role": "ADMIN"],
            "author": ["type": ["integer", "null"], "readOnly": true, "x-value": "caller"],
        ]
        fields.merge(ownFields) { $1 }
        var members: [String: JSON] = ["x-roles": rights.json, "x-visibility": sight]
        if above != nil { members["required"] = ["above"] }
        return OwnSchemas.notes(.object(fields), members, named: rawValue)
    }

    private var sight: JSON {
        switch self {
        case .diaries: ["own": "author"]
        case .claims: ["own": "holder", "role": "ADMIN"]
        case .letters: ["listed": ["author", "readers"]]
        case .inspections: ["listed": ["assignee", "reviewers"], "role": "ADMIN"]
        case .plans, .notices: ["gate": ["field": "stage", "value": "draft", "role": "MEMBER"]]
        case .pages, .lines, .findings, .photos, .steps, .marks: ["inherit": "above"]
        }
    }

    private var ownFields: [String: JSON] {
        let user: JSON = ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]]
        let users: JSON = [
            "type": "array", "items": ["type": "integer"], "maxItems": 5, "default": [],
            "x-user": ["on-leave": "clear"],
        ]
        switch self {
        case .diaries: return [:]
        case .claims: return ["holder": user]
        case .letters: return ["readers": users]
        case .inspections: return ["assignee": user, "reviewers": users.setting(["x-role": "ADMIN"])]
        case .plans: return ["stage": ["type": "string", "default": "draft"]]
        case .notices: return ["stage": ["type": "string", "default": "final"]]
        case .pages, .lines, .findings, .photos, .steps, .marks:
            let reference: JSON = ["collection": .string(above!.rawValue), "on-delete": "cascade"]
            return ["above": ["type": "string", "x-ref": reference]]
        }
    }
}
