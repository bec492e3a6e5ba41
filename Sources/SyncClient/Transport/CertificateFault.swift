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
