import NIOSSL

/// Whose signature makes a server's certificate a good one.
public struct CertificateAuthorities: Sendable {
    let roots: NIOSSLTrustRoots

    /// Those that the machine trusts.
    public static let system = CertificateAuthorities(roots: .default)

    private init(roots: NIOSSLTrustRoots) { self.roots = roots }

    /// Those of a PEM file, and no others. Nil where it holds no certificate.
    public init?(pem: some Sequence<UInt8>) {
        let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem))
        guard let certificates, !certificates.isEmpty else { return nil }
        self.init(roots: .certificates(certificates))
    }
}
