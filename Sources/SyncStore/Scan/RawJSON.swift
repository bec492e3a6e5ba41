/// Writes JSON into memory that the caller has reserved, without bounds checks: the hot path of a pull.
///
/// The unsafe pointer is sound because `PageWriter.row` reserves the most bytes that `RawJSON` may write, and because
/// the pointer never leaves that method's closure.
package struct RawJSON: ~Copyable {
    private let start: UnsafeMutablePointer<UInt8>
    private var end: UnsafeMutablePointer<UInt8>

    package init(_ start: UnsafeMutablePointer<UInt8>) {
        self.start = start
        end = start
    }

    /// The bytes written so far.
    package var count: Int { end - start }

    /// The most bytes of a number, sign and exponent included.
    package static let maximumNumberBytes = 26

    /// The most bytes of a string of `count` UTF-8 bytes: every byte escaped, and the quotes.
    package static func maximumStringBytes(_ count: Int) -> Int { count * 6 + 2 }

    /// Appends bytes as they are.
    @inline(__always)
    package mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        end.update(from: base, count: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    package mutating func raw(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends an integer in decimal.
    @inline(__always)
    package mutating func integer(_ value: Int64) {
        if value < 0 { byte(0x2D) }
        var digits = value.magnitude
        let length = RawJSON.decimalDigits(digits)
        var place = end + length
        end = place
        repeat {
            place -= 1
            place.pointee = UInt8(truncatingIfNeeded: 0x30 + digits % 10)
            digits /= 10
        } while digits > 0
    }

    /// Appends a finite number. Whole numbers have no fraction.
    package mutating func double(_ value: Double) {
        if let whole = Int64(exactly: value) { return integer(whole) }
        var text = value.description
        text.withUTF8 { raw($0) }
    }

    /// Appends a quoted and escaped string. `bytes` must be valid UTF-8.
    @inline(__always)
    package mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) {
        byte(0x22)
        var clean = 0
        for index in 0..<bytes.count where RawJSON.needsEscape(bytes[index]) {
            raw(UnsafeBufferPointer(rebasing: bytes[clean..<index]))
            escape(bytes[index])
            clean = index + 1
        }
        raw(UnsafeBufferPointer(rebasing: bytes[clean...]))
        byte(0x22)
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x22: raw("\\\"")
        case 0x5C: raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        default:
            raw("\\u00")
            self.byte(byte < 0x10 ? 0x30 : 0x31)
            let low = byte & 15
            self.byte(low < 10 ? 0x30 + low : 0x57 + low)
        }
    }

    private static func decimalDigits(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
