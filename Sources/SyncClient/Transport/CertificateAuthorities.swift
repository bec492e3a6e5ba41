import NIOSSL

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
