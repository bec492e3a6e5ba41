import Testing

@testable import SyncStorePostgreSQL

/// When a pooler shares a connection between transactions, by the server's processes that answer two connections.
@Suite struct PoolerTests {
    @Test func aSessionHasAProcessOfItsOwn() {
        #expect(!Pooler.isShared(own: 7, later: 7, others: 8))
        #expect(Pooler.isShared(own: 7, later: 7, others: 7))
        #expect(Pooler.isShared(own: 7, later: 9, others: 8))
    }
}
