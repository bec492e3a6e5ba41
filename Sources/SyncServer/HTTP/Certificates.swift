import Foundation
import Logging
import NIOSSL
import ServiceLifecycle
import SyncProtocol
import Synchronization
import UnixSignals

/// The server's certificate, from two PEM files that may change while the
/// server runs. A connection keeps the certificate that it began with.
package final class Certificates: Sendable {
    private struct State {
        var context: NIOSSLContext
        var expiry: SyncProtocol.Instant
        /// The files' content when last read, whether it could be used or not.
        var seen: PEMPair
    }

    private let files: PEMFiles
    private let state: Mutex<State>

    /// Throws a `CertificateError` if the files can't be used.
    package init(certificate: String, key: String) throws {
        files = PEMFiles(certificate: certificate, key: key)
        let pair = try files.read()
        state = Mutex(State(context: try files.context(pair), expiry: try files.expiry(pair), seen: pair))
    }

    /// The TLS context for connections that begin now.
    var context: NIOSSLContext { state.withLock(\.context) }

    /// Until when the certificate in use is valid.
    var expiry: SyncProtocol.Instant { state.withLock(\.expiry) }

    /// Reads the files again. Returns true if their content is new; connections that begin from now
    /// on use it. Throws a `CertificateError` if the content can't be used. The old certificate then
    /// stays, and the content is not tried again until the files change, unless `again` is true.
    package func reload(again: Bool) throws -> Bool {
        let pair = try files.read()
        let isNew = state.withLock { state in
            defer { state.seen = pair }
            return state.seen != pair
        }
        guard isNew || again else { return false }
        let context = try files.context(pair)
        let expiry = try files.expiry(pair)
        state.withLock { state in
            state.context = context
            state.expiry = expiry
        }
        return isNew
    }
}

/// Reads the certificate again every minute and on SIGHUP, in case its files have
/// changed. If the new one can't be used, that is logged and the old one stays.
struct CertificateWatch: Service {
    enum Occasion {
        case time
        /// SIGHUP: files that failed before are tried again.
        case signal
    }

    private let certificates: Certificates
    private let logger: Logger
    private let occasions: @Sendable () async -> AsyncStream<Occasion>

    init(
        _ certificates: Certificates, logger: Logger,
        occasions: @escaping @Sendable () async -> AsyncStream<Occasion> = CertificateWatch.minutesAndSignals
    ) {
        self.certificates = certificates
        self.logger = logger
        self.occasions = occasions
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await occasion in await occasions() { reload(occasion) }
        }
    }

    private func reload(_ occasion: Occasion) {
        do {
            if try certificates.reload(again: occasion == .signal) { logger.notice("a new certificate is in use") }
        } catch {
            logger.error("the new certificate can't be used; the old one stays", metadata: ["error": "\(error)"])
        }
    }

    private static func minutesAndSignals() async -> AsyncStream<Occasion> {
        let (stream, occasions) = AsyncStream.makeStream(of: Occasion.self)
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let tasks = [
            Task { for await _ in signals { occasions.yield(.signal) } },
            Task { while (try? await Task.sleep(for: .seconds(60))) != nil { occasions.yield(.time) } },
        ]
        occasions.onTermination = { _ in for task in tasks { task.cancel() } }
        return stream
    }
}

/// The paths of two PEM files. The first has the certificate,
/// followed by those of its issuers; the second has its private key.
struct PEMFiles: Sendable {
    let certificate: String
    let key: String

    /// Reads both files. Throws a `CertificateError`.
    func read() throws -> PEMPair { PEMPair(certificate: try bytes(of: certificate), key: try bytes(of: key)) }

    private func bytes(of path: String) throws -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CertificateError("Can't read \(path). Check the path, and that the server's user may read the file.")
        }
    }

    /// A context for TLS 1.2 and 1.3. Throws a `CertificateError` if the pair can't be used.
    func context(_ pair: PEMPair) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain(pair).map { .certificate($0) }, privateKey: .privateKey(try privateKey(pair)))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw CertificateError(
                "The key in \(key) is not that of the first certificate in \(certificate). "
                    + "Name two files that belong together.")
        }
    }

    /// When the first certificate ends, or one of its issuers' before. Throws a `CertificateError`.
    func expiry(_ pair: PEMPair) throws -> SyncProtocol.Instant {
        let ends = try chain(pair).map { Int64($0.notValidAfter) }
        return SyncProtocol.Instant(milliseconds: (ends.min() ?? 0) * 1000)
    }

    private func chain(_ pair: PEMPair) throws -> [NIOSSLCertificate] {
        let chain = try? NIOSSLCertificate.fromPEMBytes(pair.certificate)
        guard let chain, !chain.isEmpty else {
            throw CertificateError(
                "There is no certificate in \(certificate). It must be in PEM form: BEGIN CERTIFICATE.")
        }
        return chain
    }

    private func privateKey(_ pair: PEMPair) throws -> NIOSSLPrivateKey {
        do {
            return try NIOSSLPrivateKey(bytes: pair.key, format: .pem)
        } catch {
            throw CertificateError(
                "There is no private key in \(key) that can be used. It must be in PEM form, without a passphrase.")
        }
    }
}

/// The content of the two files.
struct PEMPair: Equatable {
    let certificate: [UInt8]
    let key: [UInt8]
}

/// Why a certificate can't be used, and what to do about it.
package struct CertificateError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
