import SyncProtocol
import SyncValues

/// One property of a model.
struct SwiftProperty {
    /// The field's name on the wire.
    let field: String
    let name: String
    let documentation: String
    /// The type, without `?`.
    let type: String
    let isOptional: Bool
    /// Whether a new row must have it.
    var isRequired = false
    var isServerOwned = false
    /// Whether it is a `var`.
    var isVariable = false
    /// The expression for a row that lacks the value; nil if each row has it.
    var fallback: String?
    /// The enum of its values.
    var choice: SwiftEnum?

    static let id = SwiftProperty(field: "id", name: "id", documentation: "", type: "String", isOptional: false)

    static let serverVersion = SwiftProperty(
        field: "server_version", name: "serverVersion",
        documentation: "The number of edits of this row; 0 before the server has it. It is not a watermark.",
        type: "Int", isOptional: false, isServerOwned: true, fallback: "0")

    static let project = SwiftProperty(
        field: "project_id", name: "projectID", documentation: "The row's project, which never changes.",
        type: "String", isOptional: false)

    private var typeText: String { isOptional ? type + "?" : type }

    var declaration: String {
        "\(SwiftText.comment(documentation))public \(isVariable ? "var" : "let") \(name): \(typeText)"
    }

    var codingKey: String { name == field ? "case \(name)" : "case \(name) = \"\(field)\"" }

    var decoding: String {
        let read = isOptional || fallback != nil ? "decodeIfPresent" : "decode"
        let value = "try row.\(read)(\(type).self, forKey: .\(name))" + (fallback.map { " ?? \($0)" } ?? "")
        let line = "self.\(name) = \(value)"
        return line.count > SwiftText.mostColumns ? "self.\(name) =\n    \(value)" : line
    }

    var parameter: String { isOptional ? "\(name): \(typeText) = nil" : "\(name): \(typeText)" }

    var assignment: String { "self.\(name) = \(name)" }

    /// The same property of a new row.
    func inNewRow(isRequired: Bool) -> SwiftProperty {
        SwiftProperty(
            field: field, name: name, documentation: documentation, type: type,
            isOptional: isOptional || !isRequired, isVariable: true)
    }
}

extension SwiftProperty {
    /// What the server fills is nil in a row that it does not have yet. A row lacks the value of a field that its
    /// server does not have, or not any more; such a row is not to be hidden.
    init(_ field: Field, of collection: Collection, name: String, choice: String, isEditable: Bool) {
        let type = SwiftText.type(field.value, choice: choice)
        self.init(
            field: field.name, name: name, documentation: collection.documentation(of: field), type: type,
            isOptional: field.value.isNullable || field.isServerOwned, isRequired: field.isRequired,
            isServerOwned: field.isServerOwned, isVariable: isEditable && !field.isServerOwned)
        if !choice.isEmpty { self.choice = SwiftEnum(field, name: choice) }
        if !isOptional { fallback = SwiftText.value(field, isChoice: choice == type) }
    }
}

/// The values of a field that has only some.
struct SwiftEnum {
    let field: String
    let name: String
    let rawType: String
    /// The names and the literals of the values.
    private let cases: [(name: String, literal: String)]

    /// Whether the field, or what it lists, has only some texts or integers.
    static func isOne(_ value: ValueSchema) -> Bool { values(value) != nil }

    private static func values(_ value: ValueSchema) -> [JSON]? {
        switch value.kind {
        case .string, .integer: value.allowed?.filter { !$0.isNull }
        case .array: value.items.flatMap(values)
        case .number, .boolean, .object: nil
        }
    }

    init(_ field: Field, name: String) {
        let values = SwiftEnum.values(field.value) ?? []
        var names = SwiftNames(used: SwiftNames.ofCases)
        self.field = field.name
        self.name = name
        rawType = values.contains { $0.string != nil } ? "String" : "Int"
        var seen: [JSON] = []
        cases = values.compactMap { value in
            guard !seen.contains(value) else { return nil }
            seen.append(value)
            return (names.take(SwiftNames.value(value)), SwiftText.literal(value))
        }
    }

    var text: String {
        """
        /// Values of `\(field)`.
        public enum \(name): RowEnum {
        \(SwiftText.indented(cases.map { "case \($0.name)" }.joined(separator: "\n")))
            case unknown(\(rawType))

            public static let allCases: [Self] = [
        \(SwiftText.indented(cases.map { ".\($0.name)," }.joined(separator: "\n"), by: 2))
            ]

            public var rawValue: \(rawType) {
                switch self {
        \(SwiftText.indented(cases.map { "case .\($0.name): \($0.literal)" }.joined(separator: "\n"), by: 2))
                case .unknown(let value): value
                }
            }
        }
        """
    }
}

/// Swift's text of values and types.
enum SwiftText {
    /// Of a statement in a function of a struct.
    static let mostColumns = 112

    static func indented(_ text: String, by levels: Int = 1) -> String {
        let indent = String(repeating: "    ", count: levels)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : indent + $0 }.joined(separator: "\n")
    }

    /// A doc comment with its line break; empty if there is nothing to say.
    static func comment(_ text: String) -> String { text.isEmpty ? "" : "/// \(text.onOneLine)\n" }

    /// `choice` is the enum of the field, if it has one. Objects are `JSON`, so that members that the schema does not
    /// name are not lost.
    static func type(_ value: ValueSchema, choice: String) -> String {
        switch value.kind {
        case .string: value.allowed == nil ? "String" : choice
        case .integer: value.allowed == nil ? "Int" : choice
        case .number: "Double"
        case .boolean: "Bool"
        case .array: value.items.map { "[\(type($0, choice: choice))\($0.isNullable ? "?" : "")]" } ?? "[JSON]"
        case .object: "JSON"
        }
    }

    /// The value of a row that lacks it: the schema's default, or an empty one.
    static func value(_ field: Field, isChoice: Bool) -> String {
        let literal: String =
            switch field.value.kind {
            case .string: field.fallback.string == nil ? "\"\"" : SwiftText.literal(field.fallback)
            case .integer, .number: field.fallback.number == nil ? "0" : SwiftText.literal(field.fallback)
            case .boolean: field.fallback == true ? "true" : "false"
            case .array: "[]"
            case .object: "[:]"
            }
        return isChoice ? ".init(rawValue: \(literal))" : literal
    }

    /// A literal of ASCII, so that no editor composes its letters in another way.
    static func literal(_ value: JSON) -> String {
        guard let text = value.string else { return value.text }
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case " "..."~": String(scalar)
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return "\"\(scalars.joined())\""
    }
}
