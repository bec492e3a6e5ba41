import NIOSSL
import Synchronization

/// The server's certificate, from two PEM files that may change while the
/// server runs. A connection keeps the certificate that it began with.
package final class Certificates: Sendable {
    private struct State {
        var context: NIOSSLContext
        /// The files' content when last read, whether it could be used or not.
        var seen: PEMPair
    }

    private let files: PEMFiles
    private let state: Mutex<State>

    /// Throws a `CertificateError` if the files can't be used.
    package init(certificate: String, key: String) throws {
        files = PEMFiles(certificate: certificate, key: key)
        let pair = try files.read()
        state = Mutex(State(context: try files.context(pair), seen: pair))
    }

    /// The TLS context for connections that begin now.
    var context: NIOSSLContext { state.withLock(\.context) }

    /// Reads the files again. Returns true if their content is new; connections that begin from now
    /// on use it. Throws a `CertificateError` if the content can't be used. The old certificate then
    /// stays, and the content is not tried again until the files change, unless `again` is true.
    package func reload(again: Bool) throws -> Bool {
        let pair = try files.read()
        let isNew = state.withLock { state in
            defer { state.seen = pair }
            return state.seen != pair
        }
        guard isNew || again else { return false }
        let context = try files.context(pair)
        state.withLock { $0.context = context }
        return isNew
    }
}
