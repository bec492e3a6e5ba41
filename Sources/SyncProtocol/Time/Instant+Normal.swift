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
