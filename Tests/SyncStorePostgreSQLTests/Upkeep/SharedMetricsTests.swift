import PostgreSQLTestKit
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// What servers on one database report of it.
@Suite(.timeLimit(.minutes(30))) struct SharedMetricsTests {
    @Test func serversCountEachOther() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        while two.stores[0].servers < 2 || two.stores[1].servers < 2 {
            _ = try await two.stores[0].mark(of: .project("p0"))
        }
        #expect(two.stores[0].metrics.shared?.servers == 2)
        two.stores[1].close()
        while two.stores[0].servers > 1 { _ = try await two.stores[0].mark(of: .project("p0")) }
    }

    @Test func questionsAreTimedAndConnectionsCounted() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let store = two.stores[0]
        let before = try #require(store.metrics.shared)
        for _ in 0..<5 { _ = try await store.mark(of: .project("p0")) }
        let after = try #require(store.metrics.shared)
        #expect(after.questions.count - before.questions.count == 5)
        #expect(after.questions.sum > 0 && after.heartbeatAge < .seconds(60))
        #expect(after.pools.map(\.name) == ["reader", "writer", "stream", "marks", "throttle"])
        let during = try await store.read(.project("p0")) { _ in store.metrics.shared }
        let readers = try #require(during?.pools.first)
        #expect(readers.used >= 1 && readers.waiting == 0)
        try await store.commit(to: "p0")
        #expect(store.metrics.groups.count > 0)
    }
}
