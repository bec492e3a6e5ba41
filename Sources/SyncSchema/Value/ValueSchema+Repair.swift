package import SyncProtocol

extension ValueSchema {
    /// A slightly wrong value put right: a text or list cut to its length and freed of U+0000, a list of what it holds
    /// twice, a number put into its range, an unknown or empty word replaced by `fallback`, a bad date by null. Nil
    /// where that doesn't help, as with a value of another type.
    package func repaired(_ value: JSON, fallback: JSON) -> JSON? {
        let mended = mended(value)
        do throws(Violation) {
            return try normalized(mended)
        } catch {
            guard error.pointer.isEmpty, error.code == .notInEnum || error.code == .badFormat else { return nil }
            if isNullable, format != nil { return .null }
            // No `? nil : fallback`: as a `JSON`, `nil` is a null.
            guard isNullable || !fallback.isNull else { return nil }
            return fallback
        }
    }

    private func mended(_ value: JSON) -> JSON {
        switch (kind, value) {
        case (.string, .string(let text)):
            let scalars = text.unicodeScalars.filter { $0 != "\0" }.prefix(maxLength ?? .max)
            return .string(String(String.UnicodeScalarView(scalars)))
        case (.integer, .int(let whole)): return .int(clamped(whole))
        case (.number, .int), (.number, .double): return value.number.map { JSON(clamped($0)) } ?? value
        case (.array, .array(let elements)): return .array(Array(single(elements).prefix(maxItems ?? .max)))
        default: return value
        }
    }

    /// Without what comes a second time, where nothing may.
    private func single(_ elements: [JSON]) -> [JSON] {
        guard hasUniqueItems else { return elements }
        var seen: Set<JSON> = []
        return elements.filter { seen.insert($0).inserted }
    }

    /// An exclusive bound has no nearest number, so that it is left to fail.
    private func clamped(_ number: Double) -> Double { min(max(number, minimum ?? number), maximum ?? number) }

    /// By the integers within the bounds, as a large one has no exact `Double`.
    private func clamped(_ whole: Int64) -> Int64 {
        let least = minimum.flatMap { Int64(exactly: $0.rounded(.up)) } ?? .min
        let most = maximum.flatMap { Int64(exactly: $0.rounded(.down)) } ?? .max
        return min(max(whole, least), most)
    }
}
