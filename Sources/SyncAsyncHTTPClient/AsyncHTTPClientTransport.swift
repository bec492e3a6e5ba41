import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
public import SyncTransport

/// HTTP with AsyncHTTPClient. Connections are kept and reused. Responses may be gzipped;
/// they are inflated up to a limit.
///
/// Redirects are not followed: a token never travels to a host that the caller did not name. Proxies are not used.
public struct AsyncHTTPClientTransport: Transport {
    private let client: HTTPClient
    private let bodyLimit: Int
    private let onSilence: @Sendable () -> Void
    /// How long a request waits for the head of its response before `onSilence` is called.
    var silence: Duration = .seconds(1)

    /// Makes a transport. `bodyLimit` is the largest response body, in bytes after inflating; a larger one
    /// is `TransportError.bodyTooLarge`.
    ///
    /// `onSilence` is called, from any thread, when a request has waited a second and no response has begun. The
    /// request keeps waiting. Call `shutdown()` before you drop the last copy.
    public init(
        bodyLimit: Int = 64 << 20, authorities: CertificateAuthorities = .system,
        onSilence: @escaping @Sendable () -> Void = {}
    ) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, decompression: .enabled(limit: .size(bodyLimit)))
        configuration.connectionPool.retryConnectionEstablishment = false
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.trustRoots = authorities.roots
        configuration.tlsConfiguration = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.bodyLimit = bodyLimit
        self.onSilence = onSilence
    }

    /// Closes the connections. Requests in progress fail.
    public func shutdown() async throws { try await client.shutdown() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = AnswerMark()
        do {
            return try await request.inTime(answer, silence: silence, onSilence: onSilence) {
                try await exchange(request, answer)
            }
        } catch {
            throw await explained(translated(error, hasAnswerBegun: answer.hasBegun), of: request.url)
        }
    }

    public func open(_ request: TransportRequest) async throws -> TransportStream? {
        do {
            var outgoing = try outgoing(request)
            outgoing.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
            let response = try await client.execute(outgoing, deadline: .distantFuture)
            return TransportStream(
                status: Int(response.status.code), headers: Self.headers(response.headers),
                body: response.body.map { Data($0.readableBytesView) }
            ) { translated($0, hasAnswerBegun: true) }
        } catch {
            throw await explained(translated(error, hasAnswerBegun: false), of: request.url)
        }
    }

    private static func headers(_ headers: HTTPHeaders) -> [String: String] {
        Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private func exchange(_ request: TransportRequest, _ answer: AnswerMark) async throws -> TransportResponse {
        let response = try await client.execute(try outgoing(request), deadline: .distantFuture)
        answer.begin()
        let body = try await response.body.collect(upTo: bodyLimit)
        return TransportResponse(
            status: Int(response.status.code),
            headers: Self.headers(response.headers), body: Data(body.readableBytesView))
    }

    private func translated(_ error: any Error, hasAnswerBegun: Bool) -> any Error {
        if Task.isCancelled { return CancellationError() }
        return TransportError(error, bodyLimit: bodyLimit, hasAnswerBegun: hasAnswerBegun)
    }

    private func explained(_ error: any Error, of url: String) async -> any Error {
        switch error as? TransportError {
        case .invalidURL: return TransportError.invalidURL(url)
        case .untrusted(.noAuthorities): return error
        case .untrusted(let fault):
            let look = CertificateLook(url: url)
            return TransportError.untrusted(await look?.fault(instead: fault, at: Date()) ?? fault)
        default: return error
        }
    }

    private func outgoing(_ request: TransportRequest) throws -> HTTPClientRequest {
        _ = try request.checkedURL()
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        outgoing.headers = ["accept-encoding": "gzip", "user-agent": "tidemark-client"]
        for (name, value) in request.headers { outgoing.headers.replaceOrAdd(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        return outgoing
    }
}

/// The authorities whose signatures make a server's certificate trusted.
public struct CertificateAuthorities: Sendable {
    let roots: NIOSSLTrustRoots

    /// The authorities that the machine trusts.
    public static let system = CertificateAuthorities(roots: .default)

    private init(roots: NIOSSLTrustRoots) { self.roots = roots }

    /// The authorities in a PEM file, and no others. Nil when it holds no certificate.
    public init?(pem: some Sequence<UInt8>) {
        let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem))
        guard let certificates, !certificates.isEmpty else { return nil }
        self.init(roots: .certificates(certificates))
    }
}
