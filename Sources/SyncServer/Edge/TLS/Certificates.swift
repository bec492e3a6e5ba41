import NIOSSL
import Synchronization

/// The certificate that the server shows, from two PEM files that may change while it runs. Connections keep the one that they
/// began with.
package final class Certificates: Sendable {
    private struct State {
        var context: NIOSSLContext
        /// What was read last, whether it could be used or not.
        var seen: PEMPair
    }

    private let files: PEMFiles
    private let state: Mutex<State>

    /// Throws a `CertificateError` where the files can't be used.
    package init(certificate: String, key: String) throws {
        files = PEMFiles(certificate: certificate, key: key)
        let pair = try files.read()
        state = Mutex(State(context: try files.context(pair), seen: pair))
    }

    /// For the connections that begin now.
    var context: NIOSSLContext { state.withLock(\.context) }

    /// Reads the files again. True where they hold something new, which is shown from now on. Throws a `CertificateError` where
    /// that can't be used; the old one stays then, and is not tried again until the files change, unless `again`.
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
