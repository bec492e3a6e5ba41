import SyncProtocol
import SyncStore

/// Small values: what is read from a text, written, and read again is the same.
enum ValuePromises {
    static func check(_ text: String) throws {
        try checkID(text)
        try checkNumbers(text)
        try checkDates(text)
    }

    private static func checkID(_ text: String) throws {
        let bytes = Array(text.utf8)
        let isWord = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) }
        let isValid =
            (1...64).contains(bytes.count) && isWord(bytes[0])
            && bytes.allSatisfy { isWord($0) || Array("_.-".utf8).contains($0) }
        try promise(RowID.isValid(text) == isValid, "the id \(text.debugDescription)")
    }

    private static func checkNumbers(_ text: String) throws {
        if let seq = SyncSeq(decimal: text) {
            try promise((SyncSeq.zero...SyncSeq.maximum).contains(seq), "\(text) is the number \(seq)")
        }
        guard let position = CreationPosition(text) else { return }
        try promise(CreationPosition(position.description) == position, "the position \(text)")
    }

    private static func checkDates(_ text: String) throws {
        if let date = CalendarDate(text) {
            try promise(date.text == text, "the day \(text) is written \(date.text)")
            try promise(CalendarDate(daysSinceEpoch: date.daysSinceEpoch).civil == date.civil, "the day \(text)")
        }
        if let time = TimeOfDay(text) { try promise(time.text == text, "the time \(text) is written \(time.text)") }
        let normal = Array(text.utf8).withUnsafeBufferPointer { Instant(normal: $0) }
        let instant = Instant(text)
        if let normal {
            try promise(instant == normal && normal.text == text, "the instant \(text) is read in two ways")
        }
        guard let instant else { return }
        try promise(instant.isRepresentable, "\(text) is outside the years 1 to 9999")
        try promise(Instant(instant.text) == instant, "the instant \(text) is written \(instant.text)")
    }
}
