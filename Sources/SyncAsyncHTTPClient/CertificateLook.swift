package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SyncProtocol
import SyncTransport

/// A second connection to a server whose certificate was not trusted. It finds out what is wrong with the certificate,
/// which the TLS library does not report. Nothing is sent on it.
struct CertificateLook {
    private static let deadline: TimeAmount = .seconds(5)

    private let host: String
    private let port: Int

    /// Nil when `url` has no host.
    init?(url: String) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { return nil }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? 443
    }

    /// When the certificate ends; nil if it can't be seen.
    func end() async -> Date? {
        guard let shown = try? await certificate() else { return nil }
        return Date(timeIntervalSince1970: Double(shown.notValidAfter))
    }

    /// What is wrong with the certificate at the time `now`. Returns `fault`, which is already known, when the second
    /// connection shows nothing more precise.
    func fault(instead fault: CertificateFault, at now: Date) async -> CertificateFault {
        guard let shown = try? await certificate() else { return fault }
        let begin = Double(shown.notValidBefore)
        let end = Double(shown.notValidAfter)
        if now.timeIntervalSince1970 > end { return .expired(on: Self.day(end)) }
        if now.timeIntervalSince1970 < begin { return .notYetValid(until: Self.day(begin)) }
        if case .otherName = fault { return .otherName(shown.names) }
        return fault
    }

    private static func day(_ seconds: Double) -> String {
        String(Instant(milliseconds: Int64(seconds * 1000)).text.prefix(10))
    }

    /// The server's own certificate, which is the first of the chain it sends.
    private func certificate() async throws -> NIOSSLCertificate {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let shown = loop.makePromise(of: NIOSSLCertificate.self)
        let timer = loop.scheduleTask(in: Self.deadline) { shown.fail(TransportError.timeout) }
        defer { timer.cancel() }
        let connection = connect(on: loop, shown)
        connection.whenFailure { shown.fail($0) }
        connection.whenSuccess { $0.closeFuture.whenComplete { _ in shown.fail(TransportError.timeout) } }
        defer { connection.whenSuccess { $0.close(promise: nil) } }
        return try await shown.futureResult.get()
    }

    private func connect(
        on loop: any EventLoop, _ shown: EventLoopPromise<NIOSSLCertificate>
    ) -> EventLoopFuture<any Channel> {
        let name = isAddress ? nil : host
        return ClientBootstrap(group: loop).connectTimeout(Self.deadline)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let context = try NIOSSLContext(configuration: .makeClientConfiguration())
                    let look: NIOSSLCustomVerificationCallback = { chain, verdict in
                        if let first = chain.first { shown.succeed(first) }
                        verdict.succeed(.failed)
                    }
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: name, customVerificationCallback: look)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: port)
    }

    private var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }
}

extension NIOSSLCertificate {
    /// The names and addresses that the certificate is issued to.
    fileprivate var names: [String] {
        _subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            switch name.nameType {
            case .dnsName: return String(decoding: bytes, as: UTF8.self)
            case .ipAddress: return try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress
            default: return nil
            }
        }
    }
}

/// The certificate that a server shows.
package enum ServerCertificate {
    /// When it ends; nil if it can't be seen. Does not check whether it is trusted.
    package static func end(url: String) async -> Date? { await CertificateLook(url: url)?.end() }
}
