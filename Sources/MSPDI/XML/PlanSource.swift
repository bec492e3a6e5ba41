import Foundation

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
