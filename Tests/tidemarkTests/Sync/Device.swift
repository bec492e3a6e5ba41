import ArgumentParser
import Foundation
import GRDB
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

@testable import tidemark

/// A replica and a token, used through the commands.
struct Device {
    let server: ServedProject
    let path: String
    let token: String
    let replica: Replica

    init(_ name: String, _ role: Role, of server: ServedProject) async throws {
        self.server = server
        path = server.folder.path(name + ".replica")
        token = try await server.token(role)
        replica = try Replica(path: path, project: server.bench.project)
    }

    func sync(_ direction: SyncDirection = .both, with other: ServedProject? = nil) async throws {
        let url = (other ?? server).url
        try await Connection.parse([url, "--project", server.bench.project, "--token", token, "--replica", path])
            .run(direction)
    }

    /// A syncer with batches of this size.
    func syncer(_ transport: any Transport, rows: Int) throws -> Syncer {
        var options = SyncOptions()
        options.batchRows = rows
        options.firstDelay = .milliseconds(1)
        let remote = try Remote(url: server.url, project: server.bench.project, token: token)
        return try Syncer(remote: remote, transport: transport, replica: replica, options: options)
    }

    /// Expects that the server does not take some edits.
    func syncRefused(_ direction: SyncDirection = .both, with other: ServedProject? = nil) async {
        let error = await #expect(throws: ExitCode.self) { try await sync(direction, with: other) }
        #expect(error == ExitCode(3))
    }

    func add(_ collection: String, _ id: String, _ fields: String...) throws { try add(collection, id, fields) }

    func add(_ collection: String, _ id: String, _ fields: [String]) throws {
        try RowAddCommand.parse([collection, "--id", id, "--replica", path] + fields).run()
    }

    func set(_ collection: String, _ id: String, _ fields: String...) throws {
        try RowSetCommand.parse([collection, id, "--replica", path] + fields).run()
    }

    func remove(_ collection: String, _ id: String) throws {
        try RowRemoveCommand.parse([collection, id, "--replica", path]).run()
    }

    /// The refused edits: place, collection, id and code of each.
    func refused() throws -> [[String]] {
        try RefusedEdit.all(in: replica).map {
            [$0.place.rawValue, $0.reason.collection, $0.reason.id, $0.reason.code]
        }
    }

    /// All rows of a collection, as the device has them.
    func rows(_ collection: String) throws -> [JSON] { try replica.rows(of: collection) }

    /// All rows of a collection over REST, in the form in which the device has them, ordered by id.
    func served(_ collection: String) async throws -> [JSON] {
        let url = server.url + "/api/v1/projects/\(server.bench.project)/\(collection)/?limit=500"
        let answer = try await withTransport {
            try await $0.send(
                TransportRequest(url: url, headers: ["Authorization": "Bearer \(token)"], timeout: .seconds(60)))
        }
        #expect(answer.status == 200, "\(collection)")
        let rows = try JSON(parsing: answer.body)["results"]?.array ?? []
        return rows.map { .object(($0.object ?? [:]).merging(["_status": "synced", "_changed": ""]) { $1 }) }
            .sorted { ($0["id"]?.string ?? "") < ($1["id"]?.string ?? "") }
    }

    func withTransport<Result>(_ body: (AsyncHTTPClientTransport) async throws -> Result) async throws -> Result {
        let transport = AsyncHTTPClientTransport()
        do {
            let result = try await body(transport)
            try await transport.shutdown()
            return result
        } catch {
            try await transport.shutdown()
            throw error
        }
    }
}

extension Replica {
    /// Gives all unsent rows a value that the server refuses, as an earlier version of an app could: this one would not
    /// take it, but sends what is stored.
    func storeUnjudged(_ field: String, _ value: Int, in collection: String) throws {
        try DatabaseQueue(path: path).write {
            try $0.execute(sql: "UPDATE \(collection) SET \(field) = \(value) WHERE _status <> 'synced'")
        }
    }
}
