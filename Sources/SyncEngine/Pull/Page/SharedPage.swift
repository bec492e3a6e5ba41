import NIOCore
import SyncProtocol
import SyncStore

/// What was read for a page: all of it but what is its reader's alone, the cursor.
struct SharedPage: Sendable {
    /// Where the next page goes on.
    struct Place: Sendable {
        let segment: Int
        let position: KeysetPosition
    }

    /// The document up to the members behind `changes`; empty where `packed` takes its place.
    private(set) var changes: ByteBuffer
    private(set) var packed: PackedStart?
    let rows: Int
    /// Nil when the drain is done.
    let next: Place?
    /// `progress.total`, where this is the drain's first page.
    let total: Int?
    /// The member of that name, as JSON text, where this is the last page.
    let digest: String?
    /// Nothing of it depends on who reads it, among those of one `PageKey`.
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

    /// Compresses it, memory permitting.
    mutating func pack(by packer: any PagePacker) {
        packed = packer.start(changes)
        if packed != nil { changes = ByteBuffer() }
    }

    /// Gives back the room that it was written in.
    mutating func trim() { changes = ByteBuffer(bytes: changes.readableBytesView) }

    /// Bytes of memory.
    var cost: Int { changes.storageCapacity + (packed?.bytes.storageCapacity ?? 0) + (digest?.utf8.count ?? 0) + 512 }
}
