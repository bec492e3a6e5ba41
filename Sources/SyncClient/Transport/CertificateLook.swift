package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SyncProtocol

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

/// What is wrong with a certificate.
public enum CertificateFault: Sendable, Equatable {
    /// It is no longer valid. The value is its last day, in UTC, as `2026-11-30`.
    case expired(on: String)
    /// It is not valid yet. The value is its first day, in UTC, as `2026-11-30`.
    case notYetValid(until: String)
    /// It is issued to these names and addresses, and the server was reached under another one.
    /// Empty when they could not be read.
    case otherName([String])
    /// No trusted authority has signed it.
    case unknownIssuer
    /// The machine has no list of trusted authorities.
    case noAuthorities
}

extension CertificateFault: CustomStringConvertible {
    /// What is wrong and what to do: the rest of a sentence such as "The server can't be trusted: …".
    public var description: String {
        switch self {
        case .expired(let day): "its certificate expired on \(day). Whoever runs it must renew the certificate."
        case .notYetValid(let day):
            "its certificate is not valid before \(day). Check this machine's clock, then the certificate."
        case .otherName(let names) where names.isEmpty:
            "its certificate is issued to another name. Use the name that it is issued to."
        case .otherName(let names):
            "its certificate is issued to \(names.joined(separator: ", ")). Use one of these names, or get a "
                + "certificate for this one."
        case .unknownIssuer: "its certificate is signed by an authority that is not trusted here."
        case .noAuthorities:
            "this machine has no list of certificate authorities. Install it; the package is often `ca-certificates`."
        }
    }
}

/// The certificate that a server shows.
package enum ServerCertificate {
    /// When it ends; nil if it can't be seen. Does not check whether it is trusted.
    package static func end(url: String) async -> Date? { await CertificateLook(url: url)?.end() }
}
