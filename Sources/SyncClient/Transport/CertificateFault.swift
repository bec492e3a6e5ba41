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
