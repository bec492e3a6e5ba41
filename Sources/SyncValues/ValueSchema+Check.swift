import Foundation
package import SyncProtocol

extension ValueSchema {
    /// A field's value in normal form, in which it is stored: instants in UTC with milliseconds, objects without
    /// unknown members, numbers as their column holds them. A value that is read back equals the one that was stored.
    ///
    /// Throws a `Violation`, which says what is allowed.
    package func normalized(_ value: JSON) throws(Violation) -> JSON {
        try normalizedPart(stored(value), of: kind == .number ? allowed?.map(stored) : allowed)
    }

    /// A column for numbers holds a `Double`. Lists and objects are stored
    /// as text, in which an integer keeps all its digits.
    private func stored(_ value: JSON) -> JSON {
        guard kind == .number, case .int(let whole) = value else { return value }
        return JSON(Double(whole))
    }

    /// Normalizes a value, or a part of a list or an object.
    func normalizedPart(_ value: JSON, of allowed: [JSON]?) throws(Violation) -> JSON {
        if value.isNull {
            guard isNullable else { throw Violation(.wrongType, "must be \(kind.name), not null") }
            return .null
        }
        let normal = try normalizedByKind(value)
        if let allowed, !allowed.contains(normal) {
            let list = allowed.map(\.text).joined(separator: ", ")
            throw Violation(.notInEnum, "must be one of \(list)")
        }
        return normal
    }

    private func normalizedByKind(_ value: JSON) throws(Violation) -> JSON {
        switch (kind, value) {
        case (.string, .string(let text)): return .string(try checked(text))
        case (.integer, .int), (.number, .int): return try inRange(value)
        case (.number, .double(let number)) where number.isFinite: return try inRange(JSON(number))
        case (.boolean, .bool): return value
        case (.array, .array(let elements)): return .array(try checked(elements))
        case (.object, .object(let members)): return .object(try checked(members))
        default: throw Violation(.wrongType, "must be \(kind.name)\(isNullable ? " or null" : "")")
        }
    }

    private func inRange(_ number: JSON) throws(Violation) -> JSON {
        if let minimum, number.isBelow(minimum) {
            throw Violation(.outOfRange, "must be at least \(plain(minimum))")
        }
        if let maximum, number.isAbove(maximum) {
            throw Violation(.outOfRange, "must be at most \(plain(maximum))")
        }
        if let exclusiveMinimum, !number.isAbove(exclusiveMinimum) {
            throw Violation(.outOfRange, "must be more than \(plain(exclusiveMinimum))")
        }
        return number
    }

    private func plain(_ number: Double) -> String { JSON(number).text }

    private func checked(_ text: String) throws(Violation) -> String {
        if let maxLength {
            guard text.utf8.count <= maxLength || text.unicodeScalars.count <= maxLength else {
                throw Violation(.tooLong, "must have at most \(maxLength) characters")
            }
            try ValueSchema.checkCharacters(text)
        } else {
            try ValueSchema.checkText(text)
        }
        if let pattern, !pattern.matches(text) {
            throw Violation(.badFormat, "must match \(pattern.text)")
        }
        guard let format else { return text }
        if format == .timezone, acceptsUnknownZones, TimeZoneNames.couldBeName(text) { return text }
        return try format.checked(text)
    }

    private func checked(_ elements: [JSON]) throws(Violation) -> [JSON] {
        if let maxItems, elements.count > maxItems {
            throw Violation(.tooLong, "must have at most \(maxItems) elements")
        }
        var normal: [JSON] = []
        for (index, element) in elements.enumerated() {
            if let items {
                normal.append(try items.normalizedPart(element, at: String(index)))
            } else {
                try ValueSchema.checkFree(element, depth: 1)
                normal.append(element)
            }
        }
        if hasUniqueItems, Set(normal).count < normal.count {
            throw Violation(.inconsistent, "must not contain an element twice")
        }
        return normal
    }

    /// How deeply a list or an object may be nested whose content the schema does not describe. A row of this depth
    /// fits into a batch, whose body may have 32 levels, with some to spare.
    private static let maximumDepth = 24

    /// Checks what a list without `items` or an object without `properties` contains, `depth` levels below it.
    private static func checkFree(_ value: JSON, depth: Int) throws(Violation) {
        switch value {
        case .string(let text): try checkText(text)
        case .array(let elements):
            try checkDepth(depth)
            for element in elements { try checkFree(element, depth: depth + 1) }
        case .object(let members):
            try checkDepth(depth)
            for (name, member) in members {
                try checkText(name)
                try checkFree(member, depth: depth + 1)
            }
        case .null, .bool, .int, .double: break
        }
    }

    private static func checkDepth(_ depth: Int) throws(Violation) {
        guard depth < maximumDepth else {
            throw Violation(.badFormat, "must not be nested deeper than \(maximumDepth) levels")
        }
    }

    /// Checks a text that has no `maxLength`.
    private static func checkText(_ text: String) throws(Violation) {
        guard text.utf8.count <= mostBytes else { throw Violation(.tooLong, "must have at most 1 MiB of text") }
        try checkCharacters(text)
    }

    /// Refuses U+0000: SQLite can store it, PostgreSQL can't, and C strings end at it.
    private static func checkCharacters(_ text: String) throws(Violation) {
        guard text.utf8.contains(0) else { return }
        throw Violation(.badFormat, "must not contain the character U+0000")
    }

    /// Whether nothing is wrong with a value but that it is a text above the limit for texts without a `maxLength`.
    package func isTooLongOnly(_ value: JSON) -> Bool {
        guard case .string(let text) = value else { return false }
        return text.utf8.count > ValueSchema.mostBytes && kind == .string && maxLength == nil && format == nil
            && allowed == nil && !text.utf8.contains(0)
    }

    /// The same of a text that was longer. One from before there was a limit may become shorter.
    package func isOnlyShortened(_ value: JSON, from old: JSON) -> Bool {
        guard let text = value.string, let former = old.string else { return false }
        return former.utf8.count > text.utf8.count && isTooLongOnly(value)
    }

    private func checked(_ members: [String: JSON]) throws(Violation) -> [String: JSON] {
        for name in required where members[name] == nil {
            throw Violation(.required, "is required", pointer: "/\(name)")
        }
        guard !properties.isEmpty else {
            try ValueSchema.checkFree(.object(members), depth: 0)
            return members
        }
        var normal: [String: JSON] = [:]
        for (name, schema) in properties {
            if let value = members[name] { normal[name] = try schema.normalizedPart(value, at: name) }
        }
        return normal
    }

    private func normalizedPart(_ value: JSON, at token: String) throws(Violation) -> JSON {
        do {
            return try normalizedPart(value, of: allowed)
        } catch {
            throw Violation(error.code, error.detail, pointer: "/\(token)\(error.pointer)")
        }
    }
}

extension JSON {
    /// Compares a number with a bound. An integer is compared as
    /// an integer: as a `Double` it could equal its neighbour.
    fileprivate func isBelow(_ bound: Double) -> Bool {
        switch self {
        case .int(let whole): Int64(exactly: bound.rounded(.up)).map { whole < $0 } ?? (bound > 0)
        case .double(let number): number < bound
        default: false
        }
    }

    fileprivate func isAbove(_ bound: Double) -> Bool {
        switch self {
        case .int(let whole): Int64(exactly: bound.rounded(.down)).map { whole > $0 } ?? (bound < 0)
        case .double(let number): number > bound
        default: false
        }
    }
}

extension ValueSchema.Kind {
    fileprivate var name: String {
        switch self {
        case .integer, .array, .object: "an \(rawValue)"
        case .string, .number, .boolean: "a \(rawValue)"
        }
    }
}

extension ValueSchema.Format {
    fileprivate func checked(_ text: String) throws(Violation) -> String {
        let normal: String? =
            switch self {
            case .date: CalendarDate(text)?.text
            case .dateTime: SyncProtocol.Instant(text)?.text
            case .time: TimeOfDay(text)?.text
            case .timezone: TimeZoneNames.all.contains(text) ? text : nil
            case .blob: text.isFileDigest ? text : nil
            case .byte: holdsBytes(text) ? text : nil
            }
        guard let normal else { throw Violation(.badFormat, "must be \(hint)") }
        return normal
    }

    private var hint: String {
        switch self {
        case .date: "a day as YYYY-MM-DD"
        case .dateTime: "an instant as YYYY-MM-DDTHH:MM:SSZ"
        case .time: "a time as HH:MM:SS"
        case .timezone: "an IANA time zone such as Europe/Berlin"
        case .blob: "the SHA-256 of a file, in 64 digits of 0-9 and a-f"
        case .byte: "base64 with =, of at most \(ValueSchema.mostDecodedBytes) bytes"
        }
    }

    /// Whether the text is what an encoder would make of the bytes: other texts for the same bytes would differ on
    /// devices that decode and encode.
    private func holdsBytes(_ text: String) -> Bool {
        guard text.utf8.count <= (ValueSchema.mostDecodedBytes + 2) / 3 * 4, let bytes = Data(base64Encoded: text)
        else {
            return false
        }
        return bytes.count <= ValueSchema.mostDecodedBytes && bytes.base64EncodedString() == text
    }
}

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
