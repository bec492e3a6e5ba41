/// How long a pull was held, as a value of `Server-Timing`: https://www.w3.org/TR/server-timing/
struct HeldTime {
    private static let prefix = "wait;dur="

    let nanoseconds: Int64

    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Reads `text`. Nil for any other text.
    init?(_ text: String) {
        guard text.hasPrefix(HeldTime.prefix), let milliseconds = Int64(text.dropFirst(HeldTime.prefix.count)) else {
            return nil
        }
        nanoseconds = milliseconds * 1_000_000
    }

    /// In whole milliseconds.
    var text: String { "\(HeldTime.prefix)\(nanoseconds / 1_000_000)" }
}
