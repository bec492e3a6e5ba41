/// An instant in milliseconds since 1970-01-01T00:00:00Z, without leap seconds. It is written and stored in one form of
/// fixed width, `YYYY-MM-DDTHH:MM:SS.mmmZ`, so texts sort like instants.
public struct Instant: Sendable, Hashable, Comparable {
    public let milliseconds: Int64
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        return Instant(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

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

extension Instant {
    /// Reads only the form that `text` writes, `YYYY-MM-DDTHH:MM:SS.mmmZ`; nil for anything else. Allocates nothing,
    /// because a pull calls it for every instant.
    public init?(normal bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 24, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
            bytes[16] == 0x3A, bytes[19] == 0x2E, bytes[23] == 0x5A,
            let year = bytes.number(0..<4), let month = bytes.number(5..<7), let day = bytes.number(8..<10),
            let date = CalendarDate(year: year, month: month, day: day),
            let hours = bytes.number(11..<13), let minutes = bytes.number(14..<16), let seconds = bytes.number(17..<19),
            let fraction = bytes.number(20..<23), hours < 24, minutes < 60, seconds < 60
        else { return nil }
        let ofDay = (hours * 60 + minutes) * 60 + seconds
        self.init(milliseconds: Int64(date.daysSinceEpoch * 86_400 + ofDay) * 1000 + Int64(fraction))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number in these decimal digits; nil if one of them is not a digit.
    fileprivate func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for index in range {
            guard self[index].isASCIIDigit else { return nil }
            value = value * 10 + Int(self[index] - 0x30)
        }
        return value
    }
}

/// A day of the proleptic Gregorian calendar, written `YYYY-MM-DD`.
public struct CalendarDate: Sendable, Hashable {
    /// Days since 1970-01-01.
    public let daysSinceEpoch: Int

    public init(daysSinceEpoch: Int) { self.daysSinceEpoch = daysSinceEpoch }

    /// Reads exactly `YYYY-MM-DD`, for a day that exists in the years 0001 to 9999; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
            let year = Digits.value(bytes[0..<4]), let month = Digits.value(bytes[5..<7]),
            let day = Digits.value(bytes[8..<10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= CalendarDate.days(inMonth: month, of: year)
        else { return nil }
        daysSinceEpoch = CalendarDate.days(fromCivil: year, month, day)
    }

    /// The day's parts.
    public var civil: (year: Int, month: Int, day: Int) { CalendarDate.civil(fromDays: daysSinceEpoch) }

    /// `YYYY-MM-DD`.
    public var text: String {
        let (year, month, day) = civil
        return Digits.text(year, width: 4) + "-" + Digits.text(month, width: 2) + "-" + Digits.text(day, width: 2)
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The algorithm days_from_civil of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms":
    /// https://howardhinnant.github.io/date_algorithms.html
    private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The algorithm civil_from_days of the same page.
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

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

/// Decimal digits of fixed width.
enum Digits {
    /// Nil if there are no bytes, or one of them is not a digit.
    static func value(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return bytes.isEmpty ? nil : value
    }

    static func text(_ value: Int, width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
