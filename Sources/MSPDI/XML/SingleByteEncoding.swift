import CExpat

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
