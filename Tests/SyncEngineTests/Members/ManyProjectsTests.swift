import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// A change of all of a user's projects finds those too that the user joined while it began.
@Suite struct ManyProjectsTests {
    @Test func aProjectJoinedInBetweenIsChangedToo() async throws {
        let registry = try Registry.builtIn()
        let plain = try await Workbench(ModelStore(registry: registry), registry)
        let name = plain.caller(.member).username.rawValue
        let second = try await Workbench(plain.store, registry, project: "p2")
        let store = HookedStore(plain.store) { number in
            if number == 1 { try await second.members.addMember(name, to: "p2", as: .member) }
        }
        let members = MemberService(store: store, registry: registry, clock: WallClock { Workbench<ModelStore>.noon })
        #expect(try await members.rename(name, displayName: "Renamed") == 2)
    }
}
