/// Why a request got no complete response.
public enum TransportError: Error, Sendable, Equatable {
    /// No connection could be made. The server has not seen the request. Worth a retry.
    /// The value is a reason for a person.
    case unreachable(String)
    /// The connection broke, or the response was truncated. The server may have acted. Worth a retry.
    /// The value is a reason for a person.
    case interrupted(String)
    /// The request's timeout passed. The server may have acted. Worth a retry.
    case timeout
    /// The decompressed response body exceeds the limit, in bytes. A retry would fail the same way.
    case bodyTooLarge(limit: Int)
    /// Not a URL that the transport can use.
    case invalidURL(String)
    /// The server's certificate does not prove its identity. Nothing was sent.
    case untrusted(CertificateFault)
    /// The URL is https, but the server does not speak TLS.
    case noTLS

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .unreachable, .interrupted, .timeout: true
        case .bodyTooLarge, .invalidURL, .untrusted, .noTLS: false
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// A sentence or two for a person.
    public var description: String {
        switch self {
        case .unreachable(let reason): "The server can't be reached: \(reason)."
        case .interrupted(let reason): "The connection broke: \(reason)."
        case .timeout: "The server did not answer in time. Check the network and the address, and try again."
        case .bodyTooLarge(let limit): "The answer is larger than \(limit) bytes; ask for smaller pages."
        case .invalidURL(let url):
            "`\(url)` is not the address of a server. Write it like `https://tidemark.example.org`."
        case .untrusted(let fault): "The server can't be trusted: \(fault)"
        case .noTLS: "The server does not speak HTTPS at this address. Check the port, or write `http://`."
        }
    }
}

/// What both HTTP libraries meet, in the same words.
extension TransportError {
    /// The response ended before its end.
    package static let cut = interrupted("the answer was cut. Try again")
    /// Something answers, but not in HTTP.
    package static let notHTTP = interrupted(
        "the response is not HTTP. Something else listens there: check the address and its port")
    /// The body is not what its `Content-Encoding` says.
    package static let notInflated = interrupted("the answer can't be decompressed")
    /// The connection was closed, and no response had begun.
    package static let noAnswer = interrupted(
        "the server closed it without an answer. If it speaks HTTPS, use `https://`; otherwise check the port")
    /// The handshake failed, for another reason than the certificate.
    package static let noCommonTLS = interrupted("the server and this client could not agree on TLS")
    /// Nothing listens at the port.
    package static let refused = unreachable(
        "the connection was refused. Check the address and its port, and that the server runs")
    /// No network leads to the server.
    package static let noRoute = unreachable(
        "there is no route to it from this network. Check the network and the address")
    /// The device has none.
    package static let offline = unreachable(
        "this device has no network. What is edited is kept, and sent when there is one")

    /// The name is of no machine.
    package static func unknownHost(_ name: String) -> TransportError {
        unreachable("no host named \(name) was found. Check the network, and the spelling of the address")
    }
}

/// What is wrong with a certificate.
public enum CertificateFault: Sendable, Equatable {
    /// It is no longer valid. The value is its last day, in UTC, as `2026-11-30`; empty when it could not be read.
    case expired(on: String)
    /// It is not valid yet. The value is its first day, in UTC, as `2026-11-30`; empty when it could not be read.
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
        case .expired(on: ""): "its certificate has expired. \(Self.renewal)"
        case .expired(let day): "its certificate expired on \(day). \(Self.renewal)"
        case .notYetValid(until: ""):
            "its certificate is not valid yet. Check this device's clock, then the certificate."
        case .notYetValid(let day):
            "its certificate is not valid before \(day). Check this device's clock, then the certificate."
        case .otherName(let names) where names.isEmpty:
            "its certificate is issued to another name. Use the name that it is issued to."
        case .otherName(let names):
            "its certificate is issued to \(names.joined(separator: ", ")). Use one of these names, or get a "
                + "certificate for this one."
        case .unknownIssuer:
            "its certificate is signed by an authority that is not trusted here. Check the address; whoever runs the "
                + "server knows what to install."
        case .noAuthorities:
            "this machine has no list of certificate authorities. Install it; the package is often `ca-certificates`."
        }
    }

    private static let renewal =
        "Check this device's clock; if it is right, whoever runs the server must renew the certificate."
}
