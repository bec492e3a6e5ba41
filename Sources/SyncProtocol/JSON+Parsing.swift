public import Foundation

/// Why a text is not acceptable JSON.
public enum JSONError: Error, Equatable, Sendable {
    /// No JSON document (RFC 8259); the parser's own words.
    case malformed(String)
    /// Arrays and objects are nested deeper than the given limit.
    case tooDeep(limit: Int)
}

extension JSON {
    /// Parses one UTF-8 JSON document (RFC 8259) of any top-level type.
    ///
    /// Of members with an equal name the last one counts. Throws `JSONError`.
    public init(parsing data: Data, maximumDepth: Int = 128) throws {
        let object: Any
        do {
            object = try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed])
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] as? String
            throw JSONError.malformed(reason ?? "not a JSON document")
        }
        self = try JSON(object, depthLeft: maximumDepth, limit: maximumDepth)
    }

    /// Parses a JSON text; see `init(parsing:maximumDepth:)`.
    public init(parsing text: String) throws { try self.init(parsing: Data(text.utf8)) }

    private init(_ object: Any, depthLeft: Int, limit: Int) throws {
        switch object {
        case let string as String: self = .string(string)
        case let number as NSNumber: self = JSON(number)
        case let members as [String: Any]:
            guard depthLeft > 0 else { throw JSONError.tooDeep(limit: limit) }
            self = .object(try members.mapValues { try JSON($0, depthLeft: depthLeft - 1, limit: limit) })
        case let elements as [Any]:
            guard depthLeft > 0 else { throw JSONError.tooDeep(limit: limit) }
            self = .array(try elements.map { try JSON($0, depthLeft: depthLeft - 1, limit: limit) })
        default: self = .null
        }
    }

    /// JSONSerialization hands booleans over as `NSNumber` too, told apart by the C type "c" alone.
    private init(_ number: NSNumber) {
        switch number.objCType.pointee {
        case CChar(UInt8(ascii: "c")), CChar(UInt8(ascii: "B")): self = .bool(number.boolValue)
        case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): self = JSON(number.doubleValue)
        default:
            if let whole = Int64(exactly: number) { self = .int(whole) } else { self = JSON(number.doubleValue) }
        }
    }
}
