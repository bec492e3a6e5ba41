import Foundation
import NIOSSL
import SyncTestKit

/// A self-signed certificate for 127.0.0.1 that is valid for a hundred years, with its key. Only for tests.
struct TestCertificate {
    let certificate: String
    let key: String

    /// Writes both files into the folder.
    func write(to folder: TemporaryFolder) throws {
        try Data(certificate.utf8).write(to: URL(filePath: TestCertificate.certificateFile(folder)))
        try Data(key.utf8).write(to: URL(filePath: TestCertificate.keyFile(folder)))
    }

    static func certificateFile(_ folder: TemporaryFolder) -> String { folder.path("certificate.pem") }
    static func keyFile(_ folder: TemporaryFolder) -> String { folder.path("key.pem") }

    /// The configuration of a client that trusts only this certificate.
    func trust() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)))
        return configuration
    }

    static let first = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBXzCCAQWgAwIBAgIBATAKBggqhkjOPQQDAjAQMQ4wDAYDVQQDDAVmaXJzdDAg
            Fw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowEDEOMAwGA1UEAwwFZmly
            c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASR14+z37znGyiQchLp4eLSfOkE
            fXYPUnIaclxM2L8RErBTUPq6U2xT1SF74IxbIzVtPLCKp7+LjGp37EOAptY7o04w
            TDAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGHBH8AAAGCCWxvY2FsaG9zdDAd
            BgNVHQ4EFgQUVrXP7P4rg8MoCIRh4ts8Ys/IAjEwCgYIKoZIzj0EAwIDSAAwRQIg
            Qdufi0lUsI+mGB4LtUsTettKAE+wcoo1kIZ0+eH2ZZgCIQDEkCE6j9HnLsDwYw99
            5uiDTabU/Fb0dr8CSUzwURVqIw==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9ePkLtPqgmiaAPkY
            XqKyiONyOVj4h7My3CZY06KNhM+hRANCAASR14+z37znGyiQchLp4eLSfOkEfXYP
            UnIaclxM2L8RErBTUPq6U2xT1SF74IxbIzVtPLCKp7+LjGp37EOAptY7
            -----END PRIVATE KEY-----
            """)

    static let second = TestCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBYDCCAQegAwIBAgIBAjAKBggqhkjOPQQDAjARMQ8wDQYDVQQDDAZzZWNvbmQw
            IBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzANBgNVBAMMBnNl
            Y29uZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOf/IbEdou4+EeCNdToEKyj6
            id6ccm1smUraUdUakEnpUxdTnpelpJLWXnn+6qFpYFAKDYCku0b5GujnotaDP8Gj
            TjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0
            MB0GA1UdDgQWBBQB0HYlB2k6AxtGq+3eUjSmsUQSkzAKBggqhkjOPQQDAgNHADBE
            AiAPSScUhn109b4ts3pZBQZWez6b9sIadX62DoEic9jJqgIgLorkSvX+nQTaSY3x
            oFtWqOaDVPcFmWfDxHX54ZHOups=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJQDR3bL+V1va/3l7
            llSFpIu1TwecHT9Q7ZT9U0wBHaehRANCAATn/yGxHaLuPhHgjXU6BCso+onenHJt
            bJlK2lHVGpBJ6VMXU56XpaSS1l55/uqhaWBQCg2ApLtG+Rro56LWgz/B
            -----END PRIVATE KEY-----
            """)
}
