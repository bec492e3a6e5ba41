import PostgreSQLTestKit
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit

/// Two servers on one database.
struct TwoServers {
    let database: TestDatabase
    let stores: [PostgreSQLStore]

    /// Makes the projects `p0` ….
    init(projects: Int = 1) async throws {
        let (database, registry) = (try TestDatabase(), try Registry.builtIn())
        self.database = database
        stores = try [database.open(registry), database.open(registry)]
        for number in 0..<projects { try await stores[0].write { try $0.createProject("p\(number)") } }
    }

    func close() { for store in stores { store.close() } }
}

extension SyncStore {
    /// Makes a commit to the project. Returns its number.
    @discardableResult func commit(to project: String) async throws -> SyncSeq {
        try await write(.project(project)) { try $0.drawSeq(of: project) }
    }
}
