import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOHTTPCompression
import SyncProtocol

/// Somebody who sends requests to the server over a socket, with or without a token, about one project.
struct Client: Sendable {
    /// Held, so the server runs as long as a client may talk to it.
    let server: TestServer
    var project: String
    var token: String?
    /// Whether all projects of the user are synced.
    var syncsAll = false

    /// Bodies are not decompressed. There is one for the process, and it is never shut down.
    static let raw = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Client.configuration)
    private static let unpacking = {
        var configuration = Client.configuration
        configuration.decompression = .enabled(limit: .none)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Pulls that wait and streams keep their connections.
    private static var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // A server that was stopped is not waited for.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    /// Ends a test whose server hangs. Under the thread sanitizer, or on a busy machine, an answer can take minutes.
    static let deadline = TimeAmount.minutes(10)

    /// Sends one request. `path` begins with a slash and may have a query.
    func send(
        _ method: String, _ path: String, _ body: Data? = nil, headers: [String: String] = [:],
        unpacks: Bool = false
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: server.url + path)
        request.method = HTTPMethod(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let body {
            if headers["Content-Type"] == nil { request.headers.add(name: "Content-Type", value: "application/json") }
            request.body = .bytes(ByteBuffer(data: body))
        }
        let client = unpacks ? Client.unpacking : Client.raw
        let response = try await client.execute(request, timeout: Client.deadline)
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return Answer(status: Int(response.status.code), headers: response.headers, body: Data(buffer: bytes))
    }

    var syncPath: String { syncsAll ? "/api/v1/sync/" : "/api/v1/projects/\(project)/sync/" }

    /// The same user, syncing all projects.
    var ofAllProjects: Client { Client(server: server, project: project, token: token, syncsAll: true) }

    /// One page: `GET …/sync/` with these parameters.
    func page(_ parameters: [String: String] = [:], headers: [String: String] = [:], unpacks: Bool = false) async throws
        -> Answer
    {
        try await send("GET", syncPath + Client.query(parameters), headers: headers, unpacks: unpacks)
    }

    /// The parameters as the end of a URL.
    static func query(_ parameters: [String: String]) -> String {
        var components = URLComponents()
        components.queryItems = parameters.sorted { $0.key < $1.key }.map {
            URLQueryItem(name: $0.key, value: $0.value)
        }
        return parameters.isEmpty ? "" : "?" + (components.percentEncodedQuery ?? "")
    }

    /// `POST …/sync/` with any document.
    func post(_ body: JSON) async throws -> Answer { try await send("POST", syncPath, body.data) }

    /// Uploads buckets of tasks, under a new batch id unless one is given.
    @discardableResult
    func upload(
        created: [JSON] = [], updated: [JSON] = [], deleted: [JSON] = [], batch: String = UUID().uuidString,
        members: [String: JSON] = [:]
    ) async throws -> Answer {
        let tasks: JSON = ["created": .array(created), "updated": .array(updated), "deleted": .array(deleted)]
        var body: [String: JSON] = ["client_batch_id": .string(batch), "changes": ["tasks": tasks]]
        body.merge(members) { _, new in new }
        return try await post(.object(body))
    }
}
