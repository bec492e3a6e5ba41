import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix

/// HTTP by AsyncHTTPClient: connections are kept and reused, gzip is accepted and inflated up to a limit.
///
/// Redirects are not followed, so that a token never travels to a host that the caller did not name.
public struct HTTPTransport: Transport {
    private let client: HTTPClient
    private let bodyLimit: Int

    /// `bodyLimit` in bytes, after inflating. Call `shutdown()` before the last copy goes out of use.
    public init(bodyLimit: Int = 64 << 20) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, decompression: .enabled(limit: .size(bodyLimit)))
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.bodyLimit = bodyLimit
    }

    /// Closes the connections; requests under way fail.
    public func shutdown() async throws { try await client.shutdown() }

    /// AsyncHTTPClient's own deadline ends with the answer's head, so a trickling body would never meet it: the
    /// exchange races a timer instead.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await exchange(request) }
                group.addTask {
                    try await Task.sleep(for: request.timeout)
                    throw TransportError.timeout
                }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw TransportError(error, bodyLimit: bodyLimit)
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await client.execute(outgoing(request), deadline: .distantFuture)
        let body = try await response.body.collect(upTo: bodyLimit)
        return TransportResponse(
            status: Int(response.status.code),
            headers: Dictionary(response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
            body: Data(body.readableBytesView))
    }

    private func outgoing(_ request: TransportRequest) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = ["accept-encoding": "gzip", "user-agent": "tidemark-client"]
        for (name, value) in request.headers { outgoing.headers.replaceOrAdd(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        return outgoing
    }
}

extension TransportError {
    fileprivate init(_ error: any Error, bodyLimit: Int) {
        switch error {
        case let error as TransportError: self = error
        case is NIOTooManyBytesError, NIOHTTPDecompression.DecompressionError.limit:
            self = .bodyTooLarge(limit: bodyLimit)
        case let error as HTTPClientError: self = TransportError(error)
        case let error as NIOConnectionError: self = .unreachable("no connection to \(error.host):\(error.port)")
        case let error as IOError where Self.connecting.contains(error.errnoCode): self = .unreachable("\(error)")
        default: self = .interrupted("\(error)")
        }
    }

    /// The errors of `connect(2)`; others come from a connection that was there.
    private static let connecting: Set = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

    private init(_ error: HTTPClientError) {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme: self = .invalidURL(error.description)
        case .connectTimeout, .getConnectionFromPoolTimeout: self = .unreachable(error.description)
        case .readTimeout, .writeTimeout, .deadlineExceeded: self = .timeout
        default: self = .interrupted(error.description)
        }
    }
}
