import SyncProtocol

extension ValueSchema {
    /// Refuses keywords that don't apply to the type. Whoever wrote them expects rules, and they would have no effect.
    func checkKeywords(_ reader: SchemaReader) throws(SchemaError) {
        try require(
            [.string], keywords: [("maxLength", maxLength != nil), ("pattern", pattern != nil)], reader: reader)
        try require([.string], keywords: [("format", format != nil)], reader: reader)
        try require(
            [.integer, .number], keywords: [("minimum", minimum != nil), ("maximum", maximum != nil)], reader: reader)
        try require([.integer, .number], keywords: [("exclusiveMinimum", exclusiveMinimum != nil)], reader: reader)
        try require([.array], keywords: [("items", items != nil), ("maxItems", maxItems != nil)], reader: reader)
        try require([.array], keywords: [("uniqueItems", hasUniqueItems)], reader: reader)
        try require(
            [.object], keywords: [("properties", !properties.isEmpty), ("required", !required.isEmpty)], reader: reader)
        if let pattern, let maxLength, maxLength > pattern.mostLength {
            throw reader.error(
                "would let the pattern take too long on a long text; write at most \(pattern.mostLength), or a simpler "
                    + "pattern", at: "maxLength")
        }
        guard let name = required.first(where: { !properties.isEmpty && properties[$0] == nil }) else { return }
        throw reader.error("\"\(name)\" is not a property", at: "required")
    }

    private func require(
        _ kinds: [Kind], keywords: [(name: String, isThere: Bool)], reader: SchemaReader
    ) throws(SchemaError) {
        guard !kinds.contains(kind), let keyword = keywords.first(where: \.isThere) else { return }
        let names = kinds.map(\.rawValue).joined(separator: " or ")
        throw reader.error("applies only to the type \(names); remove it, or change the type", at: keyword.name)
    }

    /// Refuses bounds that leave no value between them.
    func checkRange(_ reader: SchemaReader) throws(SchemaError) {
        guard let maximum else { return }
        if let minimum, minimum > maximum { throw reader.error("is above maximum", at: "minimum") }
        if let exclusiveMinimum, exclusiveMinimum >= maximum {
            throw reader.error("must be below maximum", at: "exclusiveMinimum")
        }
        let least = [minimum?.rounded(.up), exclusiveMinimum.map { $0.rounded(.down) + 1 }].compactMap(\.self).max()
        guard kind == .integer, let least, least > maximum.rounded(.down) else { return }
        throw reader.error("leaves no whole number up to maximum", at: minimum == nil ? "exclusiveMinimum" : "minimum")
    }
}
