import CExpat
import Foundation

/// Runs libexpat over one file, into one `ElementBuilder`.
///
/// A DOCTYPE is refused at its start. MSPDI has none. Without a DOCTYPE there are no entities, so a file can neither
/// read external files nor expand without limit ("billion laughs").
final class XMLParse {
    static let deepest = 256

    private let source: PlanSource
    private let builder: ElementBuilder
    private let parser: XML_Parser
    private var depth = 0
    private var fault: PlanFault?

    init(of source: PlanSource, into builder: ElementBuilder) {
        self.source = source
        self.builder = builder
        // Safe because expat returns null only when there is no memory for a parser.
        parser = XML_ParserCreate(nil)!
        setHandlers()
    }

    deinit { XML_ParserFree(parser) }

    /// Parses the file and returns its content. `onBytes` receives the number of bytes read
    /// so far. Must be called only once.
    func run(onBytes: (Int) -> Void = { _ in }) throws(PlanError) -> PlanFile {
        var piece = try source.next()
        var count = 0
        do throws(PlanFault) { try PlanSource.check(piece) } catch { throw located(error, withColumn: false) }
        while true {
            let isLast = piece.isEmpty
            try feed(piece, isLast: isLast)
            if isLast { return builder.finished() }
            count += piece.count
            onBytes(count)
            piece = try source.next()
        }
    }

    private func feed(_ piece: ArraySlice<UInt8>, isLast: Bool) throws(PlanError) {
        let status = piece.withUnsafeBytes { bytes in
            XML_Parse(parser, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), isLast ? 1 : 0)
        }
        if let fault { throw located(fault, withColumn: true) }
        if status != XML_STATUS_OK { throw located(syntaxFault(isLast: isLast), withColumn: true) }
    }

    private func syntaxFault(isLast: Bool) -> PlanFault {
        let code = XML_GetErrorCode(parser)
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        let isEncoding = code == XML_ERROR_UNKNOWN_ENCODING || code == XML_ERROR_INCORRECT_ENCODING
        let hint =
            isEncoding
            ? "Save the file in UTF-8, UTF-16, ISO-8859-1 or windows-1252."
            : isLast ? "The file seems to be cut off: copy or save it again." : PlanFault.saveAgain
        return PlanFault(reason: "not well-formed XML: \(reason)", hint: hint)
    }

    private func located(_ fault: PlanFault, withColumn: Bool) -> PlanError {
        let ownLine = withColumn && fault.line == nil
        return PlanError(
            file: source.path, line: ownLine ? Int(XML_GetCurrentLineNumber(parser)) : fault.line,
            column: ownLine ? Int(XML_GetCurrentColumnNumber(parser)) + 1 : nil, reason: fault.reason, hint: fault.hint)
    }
}

// The callbacks for expat. After a fault expat may call once or twice more before it
// stops; `attempt` ignores these calls.
extension XMLParse {
    private func setHandlers() {
        // Unretained because `parser` holds the pointer, and this object owns `parser` and frees it first.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { user, name, _ in XMLParse.of(user).start(name) }, { user, _ in XMLParse.of(user).end() })
        XML_SetCharacterDataHandler(parser) { user, bytes, count in XMLParse.of(user).text(bytes, count) }
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in XMLParse.of(user).refuseDoctype() }
        XML_SetUnknownEncodingHandler(parser, SingleByteEncoding.handler, nil)
    }

    private static func of(_ user: UnsafeMutableRawPointer?) -> XMLParse {
        // Safe because `setHandlers` sets the user data before any handler can be called.
        Unmanaged<XMLParse>.fromOpaque(user!).takeUnretainedValue()
    }

    private func start(_ name: UnsafePointer<CChar>?) {
        attempt { () throws(PlanFault) in
            depth += 1
            guard depth <= XMLParse.deepest else {
                throw PlanFault(
                    reason: "elements are nested deeper than \(XMLParse.deepest)",
                    hint: "No project tool writes such a plan.")
            }
            let name = name.map { String(cString: $0) } ?? ""
            try builder.start(XMLParse.local(name), line: Int(XML_GetCurrentLineNumber(parser)))
        }
    }

    private func end() {
        attempt { () throws(PlanFault) in
            depth -= 1
            try builder.end()
        }
    }

    private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
        guard fault == nil else { return }
        builder.text(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    private func refuseDoctype() {
        attempt { () throws(PlanFault) in
            throw PlanFault(
                reason:
                    "a DOCTYPE is refused, because it can define entities that read other files or grow without end",
                hint: "Remove the DOCTYPE line: no plan of Microsoft Project has one.")
        }
    }

    private func attempt(_ action: () throws(PlanFault) -> Void) {
        guard fault == nil else { return }
        do throws(PlanFault) { try action() } catch {
            fault = error
            XML_StopParser(parser, 0)
        }
    }

    /// The name without its namespace prefix. Project writes none; other tools may.
    private static func local(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }
}

/// The bytes of a plan's file, read forward in pieces. The file is closed when this object is released.
final class PlanSource {
    static let pieceSize = 65_536

    let path: String
    private let handle: UnsafeMutablePointer<FILE>
    private var piece = [UInt8](repeating: 0, count: PlanSource.pieceSize)

    init(path: String) throws(PlanError) {
        guard let handle = fopen(path, "rb") else { throw PlanSource.failure(path) }
        self.path = path
        self.handle = handle
    }

    deinit { fclose(handle) }

    /// The size in bytes; 0 when it is not known.
    var size: Int {
        var status = stat()
        return fstat(fileno(handle), &status) == 0 ? Int(status.st_size) : 0
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The next piece, up to 64 KiB. Empty at the end of the file.
    func next() throws(PlanError) -> ArraySlice<UInt8> {
        let count = fread(&piece, 1, piece.count, handle)
        if count == 0, ferror(handle) != 0 { throw PlanSource.failure(path) }
        return piece[..<count]
    }

    private static func failure(_ path: String) -> PlanError {
        let reason = String(cString: strerror(errno))
        return PlanError(
            file: path, reason: "can't be read: \(reason)", hint: "Give the path of a readable file, a plan in XML.")
    }
}

extension PlanSource {
    /// Throws when the first bytes show that the file is not XML.
    static func check(_ head: ArraySlice<UInt8>) throws(PlanFault) {
        if head.isEmpty { throw PlanFault(reason: "the file is empty", hint: PlanFault.saveAsXML) }
        if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
            throw PlanFault(reason: "is a binary plan (.mpp), not XML", hint: PlanFault.saveAsXML)
        }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw PlanFault(reason: "is a ZIP archive, not XML", hint: PlanFault.saveAsXML)
        }
    }
}

/// Encodings with one byte per character that Windows tools write and that expat does not have.
enum SingleByteEncoding {
    /// The meaning of 0x80 to 0x9F in windows-1252; 0 for none. The rest is as in ISO-8859-1.
    /// https://encoding.spec.whatwg.org/index-windows-1252.txt
    private static let windows1252: [Int32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]

    /// Where ISO-8859-15 differs from ISO-8859-1. https://encoding.spec.whatwg.org/index-iso-8859-15.txt
    private static let latin9: [Int: Int32] = [
        0xA4: 0x20AC, 0xA6: 0x0160, 0xA8: 0x0161, 0xB4: 0x017D, 0xB8: 0x017E, 0xBC: 0x0152, 0xBD: 0x0153, 0xBE: 0x0178,
    ]

    /// Called by expat for an unknown encoding. Returns 0 if it is unknown here too.
    static let handler: XML_UnknownEncodingHandler = { _, name, info in
        guard let name, let info, let table = SingleByteEncoding.table(for: String(cString: name)) else { return 0 }
        withUnsafeMutableBytes(of: &info.pointee.map) { bytes in
            let map = bytes.bindMemory(to: Int32.self)
            for (byte, character) in table.enumerated() { map[byte] = character }
        }
        info.pointee.convert = nil
        info.pointee.release = nil
        info.pointee.data = nil
        return 1
    }

    /// The character of each byte, -1 for a byte that has none.
    static func table(for name: String) -> [Int32]? {
        switch name.lowercased() {
        case "windows-1252", "cp1252", "cp-1252", "x-cp1252":
            (0..<256).map { (0x80..<0xA0).contains($0) ? mapped(windows1252[$0 - 0x80]) : Int32($0) }
        case "iso-8859-15", "iso8859-15", "latin-9", "latin9":
            (0..<256).map { latin9[$0] ?? Int32($0) }
        case "latin1", "latin-1", "iso8859-1", "iso_8859-1":
            (0..<256).map(Int32.init)
        default: nil
        }
    }

    private static func mapped(_ character: Int32) -> Int32 { character == 0 ? -1 : character }
}

/// Why a file can't be read as a plan: where, why, and what the operator can do about it.
package struct PlanError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path that was given.
    var file: String
    /// Counted from 1.
    var line: Int?
    /// Counted from 1.
    var column: Int?
    var reason: String
    /// What to do, as a whole sentence.
    var hint: String

    package var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        return "\(place): \(reason). \(hint)"
    }
}

/// A `PlanError` without its file. Without `line`, it is at the current line.
struct PlanFault: Error, Equatable {
    var line: Int?
    var reason: String
    var hint: String
}

extension PlanFault {
    /// The hint for a file that is not a plan at all.
    static let saveAsXML = "Save the plan as XML in Microsoft Project: File > Save As > XML."
    /// The hint for XML that no tool should have written.
    static let saveAgain = "Open the plan in the tool that wrote it and save it as XML again."
}
