import Foundation
import SyncClient
import SyncServer

extension CertificateAuthorities {
    /// The authorities in a PEM file; those of the machine if there is no file.
    init(named path: String?) throws {
        guard let path else {
            self = .system
            return
        }
        guard let pem = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandError("Can't read \(path). Check the path, and that this user may read the file.")
        }
        guard let authorities = CertificateAuthorities(pem: pem) else {
            throw CommandError("There is no certificate in \(path). It must be in PEM form: BEGIN CERTIFICATE.")
        }
        self = authorities
    }
}
