import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// What a simple client pulls with: of one project, or of all projects of its user.
enum NaiveReader {
    case project(DrainClient)
    case user(UserDrainClient)

    init(_ caller: Caller, _ spec: DeviceSpec, encoding: WireEncoding) {
        if spec.isUserWide {
            // Somebody who keeps pages one by one reads `left_projects`. WatermelonDB does not, and may be killed
            // between the rows and their watermark.
            var client = UserDrainClient(caller, storing: encoding == .json ? .pages : .drains)
            (client.encoding, client.splitsCreated) = (encoding, encoding == .json)
            self = .user(client)
        } else {
            var client = DrainClient(caller)
            (client.encoding, client.splitsCreated) = (encoding, encoding == .json)
            self = .project(client)
        }
    }

    /// Fetches one page. Returns whether the drain is done.
    mutating func pull(from bench: Workbench<Store>, pageSize: Int) async throws -> Bool {
        switch self {
        case .project(var client):
            defer { self = .project(client) }
            return try await client.pull(from: bench, pageSize: pageSize)
        case .user(var client):
            defer { self = .user(client) }
            if !client.isDraining {
                client.holdsWatermark = client.storing == .drains && client.drains % 3 == 2
            }
            return try await client.pull(from: bench.pulls, bench.registry, pageSize: pageSize)
        }
    }

    var rows: [RowKey: JSON] {
        switch self {
        case .project(let client): client.rows
        case .user(let client): client.rows
        }
    }

    var since: SyncSeq {
        switch self {
        case .project(let client): client.since
        case .user(let client): client.since
        }
    }

    var isDraining: Bool {
        switch self {
        case .project(let client): client.isDraining
        case .user(let client): client.isDraining
        }
    }

    var encoding: WireEncoding {
        switch self {
        case .project(let client): client.encoding
        case .user(let client): client.encoding
        }
    }
}
