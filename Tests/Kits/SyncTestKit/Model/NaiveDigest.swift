package import SyncProtocol

/// The digest of rows, written a second time from the text of the contract and deliberately without the
/// product's code, which is compared with it. It is the XOR over all rows of FNV-1a-64 of `id`, a NUL byte,
/// and `server_version` in decimal.
package enum NaiveDigest {
    /// The digest in wire form.
    package static func of(_ rows: some Sequence<JSON>) -> JSON {
        let hashes = rows.map { hash(Array("\($0["id"]?.string ?? "")\u{0}\($0["server_version"]?.text ?? "")".utf8)) }
        let bits = hashes.reduce(0, ^)
        let digits = (0..<16).reversed().map { String((bits >> (4 * $0)) % 16, radix: 16) }
        return ["count": .int(Int64(hashes.count)), "digest": .string(digits.joined())]
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) { hash, byte in
            (hash ^ UInt64(byte)).multipliedReportingOverflow(by: 1_099_511_628_211).partialValue
        }
    }
}
