/// Why there is no complete answer.
public enum TransportError: Error, Sendable, Equatable {
    /// No connection came about; the server has not seen the request. Worth a retry.
    case unreachable(String)
    /// The connection broke, or the answer was cut. The server may have acted. Worth a retry.
    case interrupted(String)
    /// The request's timeout passed. The server may have acted. Worth a retry.
    case timeout
    /// The decompressed body exceeds the limit, in bytes. The same request would do so again.
    case bodyTooLarge(limit: Int)
    /// Not a URL that the transport can use.
    case invalidURL(String)
    /// The server's certificate does not prove that it is the server; it was sent nothing.
    case untrusted(CertificateFault)
    /// TLS was asked for, and the server speaks something else.
    case noTLS

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .interrupted, .timeout: true
        case .bodyTooLarge, .invalidURL, .untrusted, .noTLS: false
        }
    }
}

/// What is wrong with a certificate.
public enum CertificateFault: Sendable, Equatable {
    /// The last day on which it was good, as `2026-11-30`.
    case expired(on: String)
    /// The first day on which it will be good.
    case notYetValid(until: String)
    /// It is made out to these names and addresses, and the server was asked for by another.
    case otherName([String])
    /// None of the trusted authorities has signed it.
    case unknownIssuer
    /// The machine has no list of trusted authorities.
    case noAuthorities
}

extension TransportError: CustomStringConvertible {
    /// A sentence or two for a person.
    public var description: String {
        switch self {
        case .unreachable(let reason): "The server can't be reached: \(reason)."
        case .interrupted(let reason): "The connection broke: \(reason)."
        case .timeout: "The server did not answer in time."
        case .bodyTooLarge(let limit): "The answer is larger than \(limit) bytes; ask for smaller pages."
        case .invalidURL(let url):
            "`\(url)` is no address of a server. Write it like `https://tidemark.example.org`."
        case .untrusted(let fault): "The server can't be trusted: \(fault)"
        case .noTLS: "The server does not speak HTTPS at this address. Check the port, or write `http://`."
        }
    }
}

extension CertificateFault: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .expired(let day): "its certificate expired on \(day). Whoever runs it must renew the certificate."
        case .notYetValid(let day):
            "its certificate is not valid before \(day). Check this machine's clock, then the certificate."
        case .otherName(let names) where names.isEmpty:
            "its certificate is made out to another name. Use the name that it is made out to."
        case .otherName(let names):
            "its certificate is made out to \(names.joined(separator: ", ")). Use such a name, or get it a certificate "
                + "for this one."
        case .unknownIssuer: "its certificate is signed by an authority that is not trusted here."
        case .noAuthorities:
            "this machine has no list of certificate authorities. Install it; the package is often `ca-certificates`."
        }
    }
}
