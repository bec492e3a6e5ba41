package import SyncProtocol

extension ValueSchema {
    /// Repairs a slightly wrong value. A text or list is cut to its maximum length, a text loses U+0000, a list loses
    /// repeated elements, a number moves into its range, an unknown or empty word becomes `fallback`, and a bad date
    /// becomes null. Nil if that does not help, for example with a value of another type.
    package func repaired(_ value: JSON, fallback: JSON) -> JSON? {
        let adjusted = adjusted(value)
        do throws(Violation) {
            return try normalized(adjusted)
        } catch {
            guard error.pointer.isEmpty, error.code == .notInEnum || error.code == .badFormat else { return nil }
            if isNullable, format != nil { return .null }
            // No `? nil : fallback`: as a `JSON`, `nil` is a null.
            guard isNullable || !fallback.isNull else { return nil }
            return fallback
        }
    }

    private func adjusted(_ value: JSON) -> JSON {
        switch (kind, value) {
        case (.string, .string(let text)):
            let scalars = text.unicodeScalars.filter { $0 != "\0" }
            guard let maxLength else { return .string(String(scalars).cut(toBytes: ValueSchema.mostBytes)) }
            return .string(String(String.UnicodeScalarView(scalars.prefix(maxLength))))
        case (.integer, .int(let whole)): return .int(clamped(whole))
        case (.number, .int), (.number, .double): return value.number.map { JSON(clamped($0)) } ?? value
        case (.array, .array(let elements)): return .array(Array(single(elements).prefix(maxItems ?? .max)))
        default: return value
        }
    }

    /// Without repeated elements, if the schema forbids them.
    private func single(_ elements: [JSON]) -> [JSON] {
        guard hasUniqueItems else { return elements }
        var seen: Set<JSON> = []
        return elements.filter { seen.insert($0).inserted }
    }

    /// Moves a number into its range. An exclusive bound has no nearest number, so a number beyond it stays and fails.
    private func clamped(_ number: Double) -> Double { min(max(number, minimum ?? number), maximum ?? number) }

    /// Compares integers, because a large one has no exact `Double`.
    private func clamped(_ whole: Int64) -> Int64 {
        let least = minimum.flatMap { Int64(exactly: $0.rounded(.up)) } ?? .min
        let most = maximum.flatMap { Int64(exactly: $0.rounded(.down)) } ?? .max
        return min(max(whole, least), most)
    }
}

extension String {
    /// As much of the text as fits into so many bytes of UTF-8.
    fileprivate func cut(toBytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var end = utf8.index(startIndex, offsetBy: most)
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
