import Foundation
import NIOSSL

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
