/// Searches for a text in many bytes, with Horspool's algorithm ("Practical fast searching in strings", 1980). It looks
/// at about one byte in n, where n is the length of the text.
struct BytePattern: Sendable {
    let bytes: [UInt8]
    /// For each byte: how far to advance when it is under the last byte of the text.
    private let shifts: [Int]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var shifts = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { shifts[Int(byte)] = bytes.count - 1 - index }
        self.shifts = shifts
    }

    /// The offset of the first occurrence.
    func first(in haystack: UnsafeRawBufferPointer) -> Int? {
        let last = bytes.count - 1
        return shifts.withUnsafeBufferPointer { shifts in
            var at = 0
            while at + last < haystack.count {
                let byte = haystack[at + last]
                if byte == bytes[last], matches(haystack, at) { return at }
                at += shifts[Int(byte)]
            }
            return nil
        }
    }

    /// The offset of the last occurrence.
    func last(in haystack: UnsafeRawBufferPointer) -> Int? {
        stride(from: haystack.count - bytes.count, through: 0, by: -1).first { matches(haystack, $0) }
    }

    private func matches(_ haystack: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        for index in bytes.indices where haystack[at + index] != bytes[index] { return false }
        return true
    }
}
