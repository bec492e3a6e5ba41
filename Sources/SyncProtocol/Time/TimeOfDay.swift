/// A time of day, written `HH:MM:SS`.
public struct TimeOfDay: Sendable, Hashable {
    /// Seconds since midnight.
    public let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    /// Reads exactly `HH:MM:SS`; nil for anything else.
    public init?(_ text: String) { self.init(ArraySlice(Array(text.utf8))) }

    init?(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 8, bytes[2] == 0x3A, bytes[5] == 0x3A,
            let hours = Digits.value(bytes[0..<2]), let minutes = Digits.value(bytes[3..<5]),
            let seconds = Digits.value(bytes[6..<8]), hours < 24, minutes < 60, seconds < 60
        else { return nil }
        self.seconds = (hours * 60 + minutes) * 60 + seconds
    }

    /// `HH:MM:SS`.
    public var text: String {
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Digits.text($0, width: 2) }.joined(separator: ":")
    }
}
