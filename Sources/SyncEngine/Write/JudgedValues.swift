import SyncProtocol
import SyncSchema
import SyncValues

/// What the schema alone says of sent values whose check can take long: those of fields with a `pattern`, long texts,
/// lists and objects. It is found out before a write takes the writer, so nobody waits for it. All other values are
/// judged when they are needed, since most of them turn out to be unchanged.
struct JudgedValues: Sendable {
    private struct Verdict {
        let value: JSON
        let normal: Result<JSON, Violation>
        let repaired: JSON?
    }

    private var verdicts: [String: Verdict] = [:]
    /// About how many bytes the judged values have.
    private(set) var bytes = 0

    var isEmpty: Bool { verdicts.isEmpty }

    /// Shorter texts without a pattern are checked at once wherever they are.
    private static let shortText = 256

    /// Of no values: each is judged when it is needed.
    static let none = JudgedValues([:], of: nil, repairs: false)

    /// `repairs` says whether slightly wrong values will be repaired.
    init(_ sent: [String: JSON], of collection: Collection?, repairs: Bool) {
        guard let collection else { return }
        for (name, value) in sent where JudgedValues.isLong(value) {
            if let field = collection.field(name) { judge(value, of: field, repairs: repairs) }
        }
        for field in collection.places.patterned.map({ collection.fields[$0] }) {
            if let value = sent[field.name], !JudgedValues.isLong(value) { judge(value, of: field, repairs: repairs) }
        }
    }

    /// Notes that the value is in normal form and valid.
    mutating func accept(_ value: JSON, of field: Field) {
        verdicts[field.name] = Verdict(value: value, normal: .success(value), repaired: Optional.none)
    }

    private mutating func judge(_ value: JSON, of field: Field, repairs: Bool) {
        guard !field.isServerOwned else { return }
        let normal = Result { () throws(Violation) in try field.value.normalized(value) }
        let isBad = if case .failure = normal { true } else { false }
        verdicts[field.name] = Verdict(
            value: value, normal: normal, repaired: repairs && isBad ? JudgedValues.repaired(value, field) : nil)
        bytes += value.roughBytes
    }

    private static func isLong(_ value: JSON) -> Bool {
        switch value {
        case .string(let text): text.utf8.count > shortText
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        case .null, .bool, .int, .double: false
        }
    }

    /// The value in normal form.
    func normalized(_ value: JSON, _ field: Field) throws(Violation) -> JSON {
        guard let verdict = verdicts[field.name], verdict.value == value else {
            return try field.value.normalized(value)
        }
        return try verdict.normal.get()
    }

    /// The value that stands for one that is slightly wrong; nil if nothing does.
    func repaired(_ value: JSON, _ field: Field) -> JSON? {
        guard let verdict = verdicts[field.name], verdict.value == value else {
            return JudgedValues.repaired(value, field)
        }
        return verdict.repaired
    }

    private static func repaired(_ value: JSON, _ field: Field) -> JSON? {
        guard let repaired = field.value.repaired(value, fallback: field.fallback),
            (try? field.value.normalized(repaired)) == repaired
        else { return nil }
        return repaired
    }
}
