import SyncProtocol

/// Hexadecimal digits of fixed width: 16.
enum Hex {
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
