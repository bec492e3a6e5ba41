package import NIOCore
import SyncProtocol
import SyncStore

/// What was read for a page: everything except the cursor, which belongs to its reader alone.
struct SharedPage: Sendable {
    /// Where the next page continues.
    struct Place: Sendable {
        let segment: Int
        let position: KeysetPosition
        /// By what the drain looks rows up.
        var choice = PartChoice()
    }

    /// The start of the document, up to and including `changes`. Empty once `packed` has replaced it.
    private(set) var changes: ByteBuffer
    private(set) var packed: PackedStart?
    let rows: Int
    /// Nil if the drain is done.
    let next: Place?
    /// `progress.total` if this is the drain's first page and the total is known.
    let total: Int?
    /// The member `digest`, as JSON text, if this is the last page.
    let digest: String?
    /// Whether the page is the same for all readers with the same `PageKey`.
    let isShareable: Bool

    init(
        changes: ByteBuffer, rows: Int, next: Place?, total: Int?, digest: String?, isShareable: Bool
    ) {
        self.changes = changes
        self.rows = rows
        self.next = next
        self.total = total
        self.digest = digest
        self.isShareable = isShareable
    }

    /// Compresses the page if there is memory for it.
    mutating func pack(by packer: any PagePacker) {
        packed = packer.start(changes)
        if packed != nil { changes = ByteBuffer() }
    }

    /// Frees the unused part of the buffer.
    mutating func trim() { changes = ByteBuffer(bytes: changes.readableBytesView) }

    /// Memory, in bytes.
    var cost: Int { changes.storageCapacity + (packed?.bytes.storageCapacity ?? 0) + (digest?.utf8.count ?? 0) + 512 }
}

/// The start of a compressed document.
package struct PackedStart: Sendable {
    package let bytes: ByteBuffer
    /// The checksum and the number of the uncompressed bytes.
    package let checksum: UInt32
    package let count: Int

    package init(bytes: ByteBuffer, checksum: UInt32, count: Int) {
        self.bytes = bytes
        self.checksum = checksum
        self.count = count
    }
}

/// Compresses pages in two steps: once for the part that many readers share, and once per reader for the rest.
package protocol PagePacker: Sendable {
    /// Nil if there is no memory for it.
    func start(_ bytes: ByteBuffer) -> PackedStart?
    /// The bytes to append to `start`. Both together unpack to the bytes of `start`, followed by `tail`.
    func end(of start: PackedStart, _ tail: ByteBuffer) -> ByteBuffer
}
