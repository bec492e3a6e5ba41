import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit
import Synchronization

/// A device with a replica and its files. Each call opens the replica like a process that has just started.
struct FileDevice: Sendable {
    let server: ServedProject
    let path: String
    let token: String
    let network: any Transport
    let time: FileTime

    init(_ name: String, _ role: Role, of server: ServedProject, _ network: any Transport) async throws {
        self.server = server
        self.network = network
        time = FileTime()
        path = server.folder.path(name + ".replica")
        token = try await server.token(role)
    }

    /// The same device on another way to the server.
    init(_ other: FileDevice, through network: any Transport) {
        self.network = network
        server = other.server
        time = other.time
        path = other.path
        token = other.token
    }

    var replica: Replica { get throws { try Replica(path: path, project: server.bench.project) } }

    func syncer(
        cache: Int64 = 256 << 20, keeping kept: KeptFiles? = nil, _ environment: SyncEnvironment? = nil
    ) throws -> Syncer {
        var options = SyncOptions()
        options.fileCacheBytes = cache
        options.keptFiles = kept
        let remote = try Remote(url: server.url, project: server.bench.project, token: token)
        return try Syncer(
            remote: remote, transport: network, replica: replica, options: options,
            environment: environment ?? time.environment)
    }

    func sync() async throws { _ = try await syncer().sync() }

    @discardableResult
    func send(cache: Int64 = 256 << 20) async throws -> FilesOutcome { try await syncer(cache: cache).sendFiles() }

    /// Adds a file, and the row that names it.
    @discardableResult
    func attach(_ bytes: Data, _ id: String, _ fields: [String: JSON] = [:]) throws -> String {
        let digest = try replica.files.add(bytes, name: id)
        try name(digest, id, fields)
        return digest
    }

    func name(_ digest: String, _ id: String, _ fields: [String: JSON] = [:]) throws {
        let values = ["name": .string(id), "file": .string(digest)].merging(fields) { $1 }
        try replica.insert(values, into: "attachments", id: id)
    }

    /// What the row says of its file.
    func state(_ id: String) throws -> String? {
        try replica.rows(of: "attachments").first { $0["id"] == .string(id) }?["state"]?.string
    }

    /// The bytes of a file, from here or from the server.
    func bytes(_ digest: String) async throws -> Data {
        try Data(contentsOf: await syncer().openFile(digest).url)
    }

    /// The names in the folder beside the replica.
    var folder: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "-files")) ?? [])
            .filter { !$0.hasPrefix(".") }.sorted()
    }
}

/// The time of a device, which waits for nothing.
final class FileTime: Sendable {
    private let start = SyncEnvironment.live.wallClock()
    private let state = Mutex<(slept: Duration, moved: Duration)>((.zero, .zero))

    var environment: SyncEnvironment {
        var environment = SyncEnvironment.live
        environment.now = { [self] in state.withLock(\.slept) }
        environment.sleep = { [self] duration in
            try Task.checkCancellation()
            state.withLock { $0.slept += duration }
        }
        environment.wallClock = { [self] in
            let milliseconds = state.withLock { $0.moved / .milliseconds(1) }
            return start.advanced(by: .milliseconds(Int64(milliseconds)))
        }
        environment.seed = { 1 }
        return environment
    }

    /// The device's clock goes on.
    func advance(by duration: Duration) { state.withLock { $0.moved += duration } }
}

/// The way to the server, which loses what a test says.
final class FileNetwork: Transport {
    /// What happens to a request.
    enum Fault: Sendable {
        case refused
        case answerLost
        /// The body is cut after so many bytes.
        case cut(Int)
        /// The process ends, before or after the server has had the request.
        case killed(isSent: Bool)
    }

    /// The process has ended.
    struct Killed: Error {}

    private struct State {
        var fault: @Sendable (TransportRequest) -> Fault? = { _ in nil }
        var bytes = 0
        var requests: [String] = []
    }

    private let inner = AsyncHTTPClientTransport()
    private let state = Mutex(State())

    /// How many bytes of bodies were sent.
    var bytes: Int { state.withLock(\.bytes) }
    /// The method and path of each request.
    var requests: [String] { state.withLock(\.requests) }

    deinit { Task { [inner] in try? await inner.shutdown() } }

    /// From now on, `fault` says what happens to a request.
    func setFault(_ fault: @escaping @Sendable (TransportRequest) -> Fault?) { state.withLock { $0.fault = fault } }

    func heal() { setFault { _ in nil } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fault = state.withLock(\.fault)(request)
        switch fault {
        case .refused: throw TransportError.unreachable("lost on the way")
        case .killed(isSent: false): throw Killed()
        case .cut(let count) where count < request.body.count:
            var part = request
            part.body = request.body.prefix(count)
            part.headers["Upload-Complete"] = "?0"
            _ = try await pass(part)
            throw TransportError.interrupted("cut")
        case nil, .answerLost, .cut, .killed(isSent: true): break
        }
        let answer = try await pass(request)
        switch fault {
        case .answerLost: throw TransportError.interrupted("the answer was lost")
        case .killed: throw Killed()
        case nil, .refused, .cut: return answer
        }
    }

    private func pass(_ request: TransportRequest) async throws -> TransportResponse {
        state.withLock { state in
            state.bytes += request.body.count
            let path = request.url.split(separator: "/").dropFirst(2).joined(separator: "/")
            state.requests.append("\(request.method.rawValue) \(path)")
        }
        return try await inner.send(request)
    }
}

extension Data {
    /// So many bytes, which differ by `seed`.
    init(bytes count: Int, seed: Int) { self.init((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }) }
}
