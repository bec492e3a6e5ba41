import SyncProtocol
import SyncServer

extension Edge {
    private static let few = 10_000

    /// Opens the certificate if there is one, and lowers the connection limit to
    /// what this process may open. Throws a `CertificateError` or an `OriginError`.
    init(_ settings: HTTPSettings, streams: SyncSettings = SyncSettings()) throws {
        var limits = EdgeLimits(settings, streams: streams)
        let room = max(1, OpenFiles.raiseLimit() - OpenFiles.reserve)
        if room < limits.connections {
            // The default is high. That the machine allows less is news only if it is little, or if more was asked for.
            if settings.connections != HTTPSettings().connections || room < Edge.few {
                Terminal.message(
                    "The server takes at most \(counted(room, "connection")), because the limit on open files is low: "
                        + "see ulimit -Hn.")
            }
            limits.connections = room
        }
        self.init(limits: limits, certificates: try Certificates(settings), origins: try Origins(settings.origins))
    }
}

extension Certificates {
    /// Nil for plain HTTP. Throws a `CertificateError`.
    fileprivate convenience init?(_ settings: HTTPSettings) throws {
        let certificate = settings.tlsCertificate
        let key = settings.tlsKey
        if certificate.isEmpty, key.isEmpty { return nil }
        guard !certificate.isEmpty, !key.isEmpty else {
            throw CertificateError("TLS needs both --tls-certificate and --tls-key, or neither for plain HTTP.")
        }
        try self.init(certificate: certificate, key: key)
    }
}
