/// Finds the user for a resource of a plan: by user name, then by e-mail and account, then by
/// display name. Case does not matter.
struct UserMatching {
    enum Match: Equatable {
        case user(Int64)
        case nobody
        case several
    }

    private var byUsername: [String: Set<Int64>] = [:]
    private var byDisplayName: [String: Set<Int64>] = [:]

    init(_ users: [PlanUser]) {
        for user in users {
            byUsername[user.username.lowercased(), default: []].insert(user.id)
            byDisplayName[user.displayName.trimmed.lowercased(), default: []].insert(user.id)
        }
        byDisplayName[""] = nil
    }

    func match(_ resource: PlanResource) -> Match {
        let email = resource.email?.lowercased()
        let candidates = [
            byUsername[resource.name.lowercased()],
            email.flatMap { byUsername[$0] },
            resource.account?.lowercased().split(separator: "\\").last.flatMap { byUsername[String($0)] },
            email?.split(separator: "@").first.flatMap { byUsername[String($0)] },
            byDisplayName[resource.name.lowercased()],
        ]
        guard let found = candidates.lazy.compactMap(\.self).first, let user = found.first else { return .nobody }
        return found.count == 1 ? .user(user) : .several
    }
}
