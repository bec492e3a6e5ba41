import Foundation

/// A place in an S3 bucket, and how to reach it: what `s3://bucket/prefix` and the AWS variables say.
package struct S3Bucket: Sendable, Equatable {
    /// Why there is no bucket. The text says what to do.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Who asks.
    struct Credentials: Sendable, Equatable {
        let accessKey: String
        let secretKey: String
        /// For credentials that end.
        let sessionToken: String?
    }

    /// As the operator wrote it, without a slash at the end.
    package let name: String
    let bucket: String
    /// Empty, or with a slash at its end.
    let prefix: String
    let region: String
    let credentials: Credentials
    /// Scheme, host and port.
    let origin: String
    /// What comes before the key in a path.
    let root: String

    /// Whether this names a bucket, not a folder.
    package static func isNamed(by store: String) -> Bool { store.lowercased().hasPrefix("s3:") }

    /// Reads `s3://bucket/prefix`, and the variables that the AWS tools use: `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, and `AWS_ENDPOINT_URL_S3` or
    /// `AWS_ENDPOINT_URL` for a service other than Amazon's. Throws a `Fault`.
    package init(_ store: String, variables: (String) -> String?) throws {
        let parts = store.split(separator: "/", omittingEmptySubsequences: true)
        guard store.lowercased().hasPrefix("s3://"), parts.count > 1, Self.isBucket(parts[1]) else {
            throw Fault(description: "\(store) names no bucket. Write it like s3://bucket/prefix.")
        }
        let segments = parts.dropFirst(2)
        guard segments.allSatisfy({ $0 != "." && $0 != ".." && $0.utf8.allSatisfy(Self.isPlain) }) else {
            throw Fault(description: "The prefix in \(store) may have letters, digits, `-`, `_`, `.` and `/` alone.")
        }
        bucket = String(parts[1])
        prefix = segments.map { $0 + "/" }.joined()
        name = "s3://" + parts.dropFirst().joined(separator: "/")
        func value(_ names: String...) -> String? { names.compactMap(variables).first { !$0.isEmpty } }
        guard let accessKey = value("AWS_ACCESS_KEY_ID"), let secretKey = value("AWS_SECRET_ACCESS_KEY") else {
            throw Fault(description: "\(store) needs the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
        }
        credentials = Credentials(
            accessKey: accessKey, secretKey: secretKey, sessionToken: value("AWS_SESSION_TOKEN"))
        region = value("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        guard let endpoint = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") else {
            // A certificate of Amazon's is good for one label before its own name.
            let isOneLabel = !bucket.utf8.contains(UInt8(ascii: "."))
            origin = "https://" + (isOneLabel ? bucket + "." : "") + "s3.\(region).amazonaws.com"
            root = isOneLabel ? "/" : "/\(bucket)/"
            return
        }
        guard let url = URL(string: endpoint), let scheme = url.scheme, ["http", "https"].contains(scheme),
            let host = url.host(), url.query() == nil
        else { throw Fault(description: "AWS_ENDPOINT_URL has to be an address like https://s3.example.org.") }
        origin = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)" + (url.port.map { ":\($0)" } ?? "")
        let path = url.path().split(separator: "/").map { "/" + $0 }.joined()
        root = path + "/\(bucket)/"
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    private static func isBucket(_ text: Substring) -> Bool {
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isPlain(_ byte: UInt8) -> Bool { S3Request.unreserved.contains(byte) }
}
