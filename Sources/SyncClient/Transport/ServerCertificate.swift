package import Foundation

/// The certificate that a server shows.
package enum ServerCertificate {
    /// When it ends; nil if it can't be seen. Does not check whether it is trusted.
    package static func end(url: String) async -> Date? { await CertificateLook(url: url)?.end() }
}
