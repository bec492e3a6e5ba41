import Foundation
import SyncProtocol
import Testing

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws -> JSON { try JSON(parsing: text) }

    @Test(arguments: [
        "null", " true ", "[false]", "0", "-0", "12", "-7", "1.0", "1.5e3", "1E-2", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "\"\"", "\"ä€😀\"",
        #""\"\\\/\b\f\n\r\t\u00e4\u20AC\ud83d\uDe00x""#,
        "[]", "{}", " [ 1 , [ ] , { } ] ", #"{"a":1,"b":{"c":[null,"x"]},"a":2}"#, "\"\u{7F}\u{2028}\"", "0.1", "1e0",
    ])
    func readsWhatFoundationReads(text: String) throws {
        #expect(try read(text) == Foundation.read(text))
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "tru", "nul",
        "True",
        "01", "-", "1.", ".5", "1e", "+1", "1e999", "NaN", "\"", "\"a", "\"\n\"", "\"\\", "\"\\x\"", "\"\\u12\"",
        "\"\\u12g4\"", "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ud83d\\u0041\"", "\"\\ude00\"", "1 2", "{} x", "]", "'a'",
    ])
    func refusesTheRest(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func refusesBytesThatAreNotUTF8() {
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xC3, 0x28, 0x22] as [UInt8]) }
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22] as [UInt8]) }
    }

    @Test func depthIsLimited() throws {
        #expect(try JSON(parsing: "[[1]]".utf8, maximumDepth: 2) == [[1]])
        #expect(throws: JSONError.tooDeep(limit: 2)) { try JSON(parsing: "[[[1]]]".utf8, maximumDepth: 2) }
        let deep = String(repeating: "[", count: 500_000)
        #expect(throws: JSONError.tooDeep(limit: 128)) { try read(deep) }
    }

    /// Every prefix of a document is refused, so an answer that was cut off never counts as complete.
    @Test func refusesEveryPrefix() throws {
        let bytes = Array(#"{"changes":{"tasks":[{"id":"ä","n":12,"x":[1.5,true,null]}]},"timestamp":3}"#.utf8)
        #expect(throws: Never.self) { try JSON(parsing: bytes) }
        for length in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSON(parsing: bytes.prefix(length)) }
        }
    }
}

/// The same text as JSONSerialization reads it, for comparison.
private enum Foundation {
    static func read(_ text: String) throws -> JSON {
        convert(try JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed]))
    }

    private static func convert(_ object: Any) -> JSON {
        switch object {
        case let string as String: .string(string)
        case let number as NSNumber: convert(number)
        case let members as [String: Any]: .object(members.mapValues(convert))
        case let elements as [Any]: .array(elements.map(convert))
        default: .null
        }
    }

    /// Booleans are `NSNumber`s too; only the C type "c" tells them apart.
    private static func convert(_ number: NSNumber) -> JSON {
        if number.objCType.pointee == CChar(UInt8(ascii: "c")) { return .bool(number.boolValue) }
        return Int64(exactly: number).map(JSON.int) ?? JSON(number.doubleValue)
    }
}
