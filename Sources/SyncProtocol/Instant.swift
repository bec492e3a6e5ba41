/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds. It is written and stored in one form of
/// fixed width, `YYYY-MM-DDTHH:MM:SS.mmmZ`, so texts sort like instants.
public struct Instant: Sendable, Hashable, Comparable {
    public let milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Reads an RFC 3339 date-time: `T` or a space, an optional fraction (cut to milliseconds), `Z` or an offset. A
    /// leap second becomes the first second of the next day, as in POSIX time. Nil for anything else, and for instants
    /// outside the years 0001 to 9999.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, [0x54, 0x74, 0x20].contains(bytes[10]),
            let day = CalendarDate(text.prefix(10))
        else { return nil }
        let isLeap = bytes[17] == 0x36 && bytes[18] == 0x30
        guard let time = TimeOfDay(isLeap ? bytes[11..<17] + [0x35, 0x39] : bytes[11..<19]) else { return nil }
        var rest = bytes[19...]
        guard let fraction = Instant.fraction(&rest), let offset = Instant.offset(rest) else { return nil }
        let seconds = Int64(day.daysSinceEpoch) * 86_400 + Int64(time.seconds) - Int64(offset) + (isLeap ? 1 : 0)
        guard !isLeap || Instant.beginsMonth(seconds) else { return nil }
        self.init(milliseconds: seconds * 1000 + fraction)
        guard (Instant.first...Instant.last).contains(self) else { return nil }
    }

    private static let first = Instant(milliseconds: -62_135_596_800_000)
    private static let last = Instant(milliseconds: 253_402_300_799_999)

    /// Whether the instant is in the years 0001 to 9999, and therefore has a text.
    public var isRepresentable: Bool { (Instant.first...Instant.last).contains(self) }

    /// `YYYY-MM-DDTHH:MM:SS.mmmZ`.
    public var text: String {
        let (days, ofDay) = milliseconds.quotientAndRemainder(flooring: 86_400_000)
        let time = TimeOfDay(seconds: Int(ofDay / 1000))
        let date = CalendarDate(daysSinceEpoch: Int(days))
        return date.text + "T" + time.text + "." + Digits.text(Int(ofDay % 1000), width: 3) + "Z"
    }

    /// Whether a month of UTC begins at this second since 1970. A leap second is the last one of a month: RFC 3339
    /// section 5.7.
    private static func beginsMonth(_ seconds: Int64) -> Bool {
        let (days, ofDay) = seconds.quotientAndRemainder(flooring: 86_400)
        return ofDay == 0 && CalendarDate(daysSinceEpoch: Int(days)).civil.day == 1
    }

    private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.first == 0x2E else { return 0 }
        let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(1 + digits.count)
        return Digits.value(ArraySlice((digits.prefix(3) + [0x30, 0x30]).prefix(3))).map(Int64.init)
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(rest)
        if bytes == [0x5A] || bytes == [0x7A] { return 0 }
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            let hours = Digits.value(bytes[1..<3]), let minutes = Digits.value(bytes[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * 60 * (bytes[0] == 0x2D ? -1 : 1)
    }
}

extension Int64 {
    fileprivate func quotientAndRemainder(flooring divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
