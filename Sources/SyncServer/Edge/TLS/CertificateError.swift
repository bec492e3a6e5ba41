import NIOSSL
import Synchronization

/// Why a certificate can't be used, and what to do about it.
package struct CertificateError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
