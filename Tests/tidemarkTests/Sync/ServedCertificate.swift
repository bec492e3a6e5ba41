import Foundation
import SyncTestKit

/// A self-signed certificate with its key. Only for tests.
struct ServedCertificate {
    let certificate: String
    let key: String

    /// Writes both files into the folder, and returns their names.
    func write(to folder: TemporaryFolder) throws -> (certificate: String, key: String) {
        let paths = (certificate: folder.path("certificate.pem"), key: folder.path("key.pem"))
        try Data(certificate.utf8).write(to: URL(filePath: paths.certificate))
        try Data(key.utf8).write(to: URL(filePath: paths.key))
        return paths
    }

    /// For 127.0.0.1.
    static let good = ServedCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBkzCCATmgAwIBAgIUBBi1euHZwRBhCySZedH5g9SmCt8wCgYIKoZIzj0EAwIw
            EDEOMAwGA1UEAwwFZ29vZHQwIBcNMjYxMTIzMDcwNjA1WhgPMjEyNjEwMzAwNzA2
            MDVaMBAxDjAMBgNVBAMMBWdvb2R0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
            Y4zFH09kOLNG/RMdRjhKPxzRTf6lfAWvz5yA0ZID8l/SEuqFsW27OTFXVCcPGEsq
            6WvzHtTTkvVpX2T3vsXOEaNvMG0wHQYDVR0OBBYEFOiW0q6K9Ysqz+fmIZcyOrxH
            4I/FMB8GA1UdIwQYMBaAFOiW0q6K9Ysqz+fmIZcyOrxH4I/FMA8GA1UdEwEB/wQF
            MAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MAoGCCqGSM49BAMCA0gA
            MEUCIQCl5I39WfWnv05+EAU+tRSv3hjZgvzD46FXmywdk1DmHAIgQfw0iMX4py/r
            y+RJalAqya9dHQ0ipCrHV6Rr3asq8tI=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggbejsDN55mKV9Zzf
            t4iAAtiCZCQfbDpxvtzonIUhziahRANCAARjjMUfT2Q4s0b9Ex1GOEo/HNFN/qV8
            Ba/PnIDRkgPyX9IS6oWxbbs5MVdUJw8YSyrpa/Me1NOS9WlfZPe+xc4R
            -----END PRIVATE KEY-----
            """)

    /// For plans.example.org.
    static let otherName = ServedCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBnDCCAUOgAwIBAgIUOfyrPuc1Fi2GjQwDHLQbja0JT8QwCgYIKoZIzj0EAwIw
            FDESMBAGA1UEAwwJb3RoZXJuYW1lMCAXDTI2MTEyMzA3MDYwNVoYDzIxMjYxMDMw
            MDcwNjA1WjAUMRIwEAYDVQQDDAlvdGhlcm5hbWUwWTATBgcqhkjOPQIBBggqhkjO
            PQMBBwNCAASw9312WNzyu55Fy/iwrnq5/tnZorpmOL3d7MK+AMaKH+25CQnxcjGN
            4HK8bzTIkRqEMQX53WPnARaVf8esjqpoo3EwbzAdBgNVHQ4EFgQUwieidTbXr5Qx
            wbm2J6/dGtIe3HMwHwYDVR0jBBgwFoAUwieidTbXr5Qxwbm2J6/dGtIe3HMwDwYD
            VR0TAQH/BAUwAwEB/zAcBgNVHREEFTATghFwbGFucy5leGFtcGxlLm9yZzAKBggq
            hkjOPQQDAgNHADBEAiBi3HidxFccDWBtmqnF/0tDCIC3U+AF92q4G39wB7OI1QIg
            SYNLAiOhdkHCKydX1iJEBbVO04T9nudyHFlsR6OSzps=
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbWwg+S92Ypuj5n3w
            23c//7BDPvTbGrbN1sm37CROZl+hRANCAASw9312WNzyu55Fy/iwrnq5/tnZorpm
            OL3d7MK+AMaKH+25CQnxcjGN4HK8bzTIkRqEMQX53WPnARaVf8esjqpo
            -----END PRIVATE KEY-----
            """)

    /// For 127.0.0.1; expired on 1 January 2021.
    static let expired = ServedCertificate(
        certificate: """
            -----BEGIN CERTIFICATE-----
            MIIBYjCCAQegAwIBAgIBAjAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAdleHBpcmVk
            MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowEjEQMA4GA1UEAwwHZXhw
            aXJlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBv+sfyGkaQ50PwnqNSS1ove
            JQy1TXwdIXitoBp5vfEuA3bx+V1II72rIRWlTQ7sRAjohtiyIpJ4hN/aeMYSgPuj
            TjBMMBoGA1UdEQQTMBGHBH8AAAGCCWxvY2FsaG9zdDAPBgNVHRMBAf8EBTADAQH/
            MB0GA1UdDgQWBBRMHMqrVhYA8Rk9sA5YKoOSzU3sejAKBggqhkjOPQQDAgNJADBG
            AiEAtDBeI9CcnjmrD4zudZKRTpmvZO68H9pprT4INvFYI4UCIQDQJ1uhzxsznjDo
            stjHFJbuDKbDDLNzBGRumBkS3VUEeQ==
            -----END CERTIFICATE-----
            """,
        key: """
            -----BEGIN PRIVATE KEY-----
            MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPivDW82Ntr1cMF/v
            qI58y1bHswFz8kQKRgX5Uu2bTN6hRANCAAQb/rH8hpGkOdD8J6jUktaL3iUMtU18
            HSF4raAaeb3xLgN28fldSCO9qyEVpU0O7EQI6IbYsiKSeITf2njGEoD7
            -----END PRIVATE KEY-----
            """)
}
