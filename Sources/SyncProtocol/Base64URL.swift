package import Foundation

/// Base64url (RFC 4648 section 5) without padding.
package enum Base64URL {
    package static func encode(_ data: Data) -> String {
        let base64 = data.base64EncodedData()
        return String(unsafeUninitializedCapacity: base64.count) { text in
            var count = 0
            for byte in base64 where byte != UInt8(ascii: "=") {
                text[count] = encoded(byte)
                count += 1
            }
            return count
        }
    }

    private static func encoded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: byte
        }
    }

    /// Nil unless the text is exactly what `encode` writes for its bytes.
    package static func decode(_ text: String) -> Data? {
        var base64 = Data(capacity: text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            case UInt8(ascii: "-"): base64.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): base64.append(UInt8(ascii: "/"))
            default: base64.append(byte)
            }
        }
        base64.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - base64.count % 4) % 4))
        return Data(base64Encoded: base64).flatMap { encode($0) == text ? $0 : nil }
    }
}

extension [UInt8] {
    /// Two lower-case hex digits for each byte.
    package var hex: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
