/// A text that is searched for in many bytes, by the algorithm of Horspool ("Practical fast searching in strings",
/// 1980): it looks at about one byte in as many as the text is long.
struct BytePattern: Sendable {
    let bytes: [UInt8]
    /// How far the text can move on where this byte stands under its last one.
    private let shifts: [Int]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var shifts = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { shifts[Int(byte)] = bytes.count - 1 - index }
        self.shifts = shifts
    }

    /// Where the text is for the first time.
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

    /// Where the text is for the last time.
    func last(in haystack: UnsafeRawBufferPointer) -> Int? {
        stride(from: haystack.count - bytes.count, through: 0, by: -1).first { matches(haystack, $0) }
    }

    private func matches(_ haystack: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        for index in bytes.indices where haystack[at + index] != bytes[index] { return false }
        return true
    }
}
