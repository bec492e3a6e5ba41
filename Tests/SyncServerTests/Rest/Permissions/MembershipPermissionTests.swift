import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Who may grant and revoke roles.
@Suite struct MembershipPermissionTests {
    private static func integer(_ role: Role) -> JSON { .int(Int64(role.rawValue)) }

    /// An ADMIN grants roles below ADMIN, an OWNER grants all roles.
    private static func mayGrant(_ granter: Role, _ roles: [Role]) -> Bool {
        granter == .owner || granter == .admin && roles.allSatisfy { $0 < .admin }
    }

    @Test(arguments: Role.allCases) func aRoleIsGrantedFromAboveOnly(granter: Role) async throws {
        let scene = try await Scene()
        let client = try await scene.client(granter)
        for role in Role.allCases {
            let user = try await scene.bench.user("new-\(role)")
            let head = try await scene.bench.head()
            let body: JSON = ["id": .string("m-\(role)"), "user": .int(user), "role": Self.integer(role)]
            let answer = try await client.create("memberships", body)
            let refusal = granter < .admin ? "403 forbidden" : "403 field_forbidden"
            let expected = Self.mayGrant(granter, [role]) ? "201" : refusal
            #expect(answer.verdict == expected, "\(granter) grants \(role): \(answer.text)")
            if expected != "201" { #expect(try await scene.bench.head() == head, "\(granter) grants \(role)") }
        }
    }

    @Test(arguments: Role.allCases) func aRoleIsChangedFromAboveBothOnly(granter: Role) async throws {
        let scene = try await Scene()
        let client = try await scene.client(granter)
        for old in Role.allCases {
            for new in Role.allCases where new != old {
                let user = try await scene.bench.user("u-\(old)-\(new)", as: old)
                let row = try await scene.bench.membership(of: user)
                let head = try await scene.bench.head()
                let answer = try await client.patch("memberships", row, ["role": Self.integer(new)])
                let refusal = granter < .admin ? "403 forbidden" : "403 field_forbidden"
                let expected = Self.mayGrant(granter, [old, new]) ? "200" : refusal
                #expect(answer.verdict == expected, "\(granter) makes \(old) \(new): \(answer.text)")
                if expected != "200" { #expect(try await scene.bench.head() == head) }
            }
        }
    }

    @Test(arguments: Role.allCases) func nobodyRaisesThemselves(role: Role) async throws {
        guard role != .owner else { return }
        let scene = try await Scene()
        let row = try await scene.bench.membership(of: scene.bench.caller(role).userID)
        let client = try await scene.client(role)
        for new in Role.allCases where new > role {
            let answer = try await client.patch("memberships", row, ["role": Self.integer(new)])
            #expect(answer.verdict == (role < .admin ? "403 forbidden" : "403 field_forbidden"), "\(role) to \(new)")
        }
    }

    @Test(arguments: [Role.viewer, .member, .scheduler, .admin]) func everybodyMayLeave(role: Role) async throws {
        let scene = try await Scene()
        let client = try await scene.client(role)
        let row = try await scene.bench.membership(of: scene.bench.caller(role).userID)
        #expect(try await client.remove("memberships", row).verdict == "204")
        #expect(try await client.page().verdict == "403 membership_revoked")
        #expect(try await client.read("memberships", row).verdict == "404 not_found")
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    @Test func aReadOnlyTokenDoesNotLeave() async throws {
        let scene = try await Scene()
        let row = try await scene.bench.membership(of: scene.bench.caller(.member).userID)
        let client = try await scene.client(.member, isReadOnly: true)
        #expect(try await client.remove("memberships", row).verdict == "403 read_only_token")
    }

    @Test(arguments: [Role.viewer, .member, .scheduler, .admin]) func onlyAnOwnerRemovesOthers(role: Role) async throws
    {
        let scene = try await Scene()
        let client = try await scene.client(role)
        for other in Role.allCases where other != role {
            let row = try await scene.bench.membership(of: scene.bench.caller(other).userID)
            let answer = try await client.remove("memberships", row)
            #expect(answer.verdict == "403 forbidden", "\(role) removes \(other): \(answer.text)")
        }
        let owner = try await scene.client(.owner)
        let row = try await scene.bench.membership(of: scene.bench.caller(role).userID)
        #expect(try await owner.remove("memberships", row).verdict == "204")
    }

    @Test(arguments: [Who.owner, .superuser]) func theLastOwnerStays(who: Who) async throws {
        let scene = try await Scene()
        let client = try #require(try await scene.cast()[who])
        let row = try await scene.bench.membership(of: scene.bench.caller(.owner).userID)
        let head = try await scene.bench.head()
        #expect(try await client.remove("memberships", row).verdict == "409 last_owner")
        for role in Role.allCases where role != .owner {
            let answer = try await client.patch("memberships", row, ["role": Self.integer(role)])
            #expect(answer.verdict == "409 last_owner", "\(role): \(answer.text)")
        }
        #expect(try await scene.bench.head() == head)
        _ = try await scene.bench.user("second", as: .owner)
        #expect(try await client.patch("memberships", row, ["role": 100]).verdict == "200")
        let second = try await scene.bench.membership(of: try await scene.bench.accounts.user(named: "second").id)
        let root = try await who == .superuser ? client : scene.client(named: "second")
        #expect(try await root.remove("memberships", second).verdict == "409 last_owner")
    }

    @Test func ownersWhoLeaveAtOnceLeaveOneBehind() async throws {
        let scene = try await Scene()
        _ = try await scene.bench.user("second", as: .owner)
        _ = try await scene.bench.user("third", as: .owner)
        var leaving: [(Client, String)] = []
        for name in ["owner-p1", "second", "third"] {
            let user = try await scene.bench.accounts.user(named: name).id
            leaving.append((try await scene.client(named: name), try await scene.bench.membership(of: user)))
        }
        let verdicts = try await withThrowingTaskGroup(of: String.self) { group in
            for (client, row) in leaving { group.addTask { try await client.remove("memberships", row).verdict } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(verdicts.sorted() == ["204", "204", "409 last_owner"])
    }

    @Test func aMembershipKeepsItsUser() async throws {
        let scene = try await Scene()
        let row = try await scene.bench.membership(of: scene.bench.caller(.member).userID)
        let user = try await scene.bench.user("other")
        let owner = try await scene.client(.owner)
        let answer = try await owner.patch("memberships", row, ["user": .int(user)])
        #expect(answer.verdict == "400 invalid_rows", "\(answer.text)")
        #expect(answer.errors.first?.hasPrefix("/user ") == true)
    }

    @Test func aMembershipIsAnAccountsAndOneEach() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        #expect(try await owner.create("memberships", ["user": 99_999, "role": 1]).errors == ["/user unknown_user"])
        let twice = try await owner.create("memberships", ["user": scene.userID(.viewer), "role": 100])
        #expect(twice.verdict == "400 invalid_rows", "\(twice.text)")
        #expect(twice.at("/errors/0/code") == "not_unique")
        let name = try await owner.create("memberships", ["user": scene.userID(.viewer), "role": 2])
        #expect(name.errors == ["/role not_in_enum"])
    }

    /// A user who left comes back with a new row, and with the role that it gives.
    @Test func whoLeftCanBeAddedAgain() async throws {
        let scene = try await Scene()
        let user = try await scene.bench.formerMember("former", as: .admin)
        let owner = try await scene.client(.owner)
        #expect(try await owner.create("memberships", ["user": .int(user), "role": 1]).verdict == "201")
        let former = try await scene.client(named: "former")
        #expect(try await former.list("tasks").verdict == "200")
        #expect(try await former.create("tasks", ["name": "A"]).verdict == "403 forbidden")
    }

    @Test func whoLeavesIsTakenOutOfWhatTheyWereAssignedTo() async throws {
        let scene = try await Scene()
        let user = scene.userID(.scheduler)
        try await scene.bench.edit { editor in
            try editor.insert("tasks", "t1", ["name": "A", "assignee": user])
            try editor.insert("risks", "r1", ["title": "R", "probability": 1, "impact": 1, "owner": user])
        }
        let row = try await scene.bench.membership(of: scene.bench.caller(.scheduler).userID)
        #expect(try await scene.client(.scheduler).remove("memberships", row).verdict == "204")
        let member = try await scene.client(.member)
        #expect(try await member.read("tasks", "t1").at("/assignee") == JSON.null)
        #expect(try await member.read("risks", "r1").at("/owner") == JSON.null)
    }
}
