package import SyncProtocol

/// How the values of a field merge that two sides changed: `x-merge`. Nothing is merged by guess: if it is not clear
/// what both sides did, there is no result.
package enum FieldMerge: String, Sendable, CaseIterable {
    /// A list without repeated elements. The result is the server's, without what the sender took out, then what the
    /// sender put in, in the sender's order.
    case set
    /// An object. Each member is merged by itself.
    case map
    /// An integer. The sender's difference is added to the server's.
    case counter

    /// The most bytes that a value may have to be merged. What was sent is kept beside the result.
    package static let mostBytes = 64 << 10

    /// What the sender's change from `base` to `sent` makes of `stored`; nil if that can't be said: `sent` is null, a
    /// member was changed on both sides to different values, or the sum is no 64-bit integer. Another list or object
    /// that is null counts as empty. The values are in normal form, and the result fits the field's type, but maybe not
    /// its bounds.
    package func merged(_ sent: JSON, from base: JSON, into stored: JSON) -> JSON? {
        switch self {
        case .set:
            guard let sent = sent.array, let base = base.elements, let stored = stored.elements else {
                return Optional.none
            }
            return .array(FieldMerge.elements(sent, from: base, into: stored))
        case .map:
            guard let sent = sent.object, let base = base.members, let stored = stored.members else {
                return Optional.none
            }
            return FieldMerge.members(sent, from: base, into: stored).map(JSON.object)
        case .counter:
            guard let sent = sent.int, let base = base.int, let stored = stored.int else { return Optional.none }
            return FieldMerge.sum(stored, plus: sent, minus: base)
        }
    }

    private static func elements(_ sent: [JSON], from base: [JSON], into stored: [JSON]) -> [JSON] {
        let known = Set(base)
        let removed = known.subtracting(sent)
        let kept = stored.filter { !removed.contains($0) }
        let present = Set(kept)
        return kept + sent.filter { !known.contains($0) && !present.contains($0) }
    }

    private static func members(
        _ sent: [String: JSON], from base: [String: JSON], into stored: [String: JSON]
    ) -> [String: JSON]? {
        var result = stored
        for name in Set(sent.keys).union(base.keys) {
            guard sent[name] != base[name], sent[name] != stored[name] else { continue }
            guard stored[name] == base[name] else { return nil }
            result[name] = sent[name]
        }
        return result
    }

    /// The sum may be in range where the difference alone is not.
    private static func sum(_ stored: Int64, plus sent: Int64, minus base: Int64) -> JSON? {
        let wide = Int128(stored) + Int128(sent) - Int128(base)
        return Int64(exactly: wide).map(JSON.int) ?? Optional.none
    }
}

extension JSON {
    /// The elements of a list; none of null.
    fileprivate var elements: [JSON]? { isNull ? [] : array }

    /// The members of an object; none of null.
    fileprivate var members: [String: JSON]? { isNull ? [:] : object }
}
