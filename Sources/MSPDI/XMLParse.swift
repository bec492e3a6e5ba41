import CExpat

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
