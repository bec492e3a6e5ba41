package import NIOCore
package import SyncProtocol
package import SyncSchema

/// Builds the JSON body of a page of a drain: `updated`, `created` and `deleted` of each collection, with rows in the
/// order in which they are appended.
package struct PageWriter {
    private var out = ByteBuffer()
    /// Rows of lists that are not open yet.
    private var created = ByteBuffer()
    private var deleted = ByteBuffer()
    /// The list that rows are written to directly.
    private var open = SegmentScan.Buckets.updated
    /// Whether the open list has rows, including those already taken out.
    private var hasRows = false
    private var hasCollections = false
    /// Where the lists of each collection lie in `changes`, for documents from which nothing was taken out.
    package private(set) var lists: [Lists] = []

    /// The places of a collection's rows in a document, without the brackets around them.
    package struct Lists: Sendable {
        package let collection: String
        /// Where each list begins, and where it ends.
        fileprivate var begins: [Int]
        fileprivate var ends: [Int] = []

        package var updated: Range<Int> { begins[0]..<ends[0] }
        package var created: Range<Int> { begins[1]..<ends[1] }
        package var deleted: Range<Int> { begins[2]..<ends[2] }
    }

    /// Reserves memory for a page of that many rows.
    package init(expectedRows: Int) {
        out.reserveCapacity(expectedRows * 512 + 2048)
        out.writeStaticString("{\"changes\":{")
    }

    /// The bytes that are written and not taken out yet.
    package var byteCount: Int { out.readableBytes + created.readableBytes + deleted.readableBytes }

    /// Takes out what is written so far. Rows of lists that are not open yet stay.
    package mutating func take() -> ByteBuffer {
        let taken = out
        out = ByteBuffer()
        out.reserveCapacity(taken.readableBytes)
        return taken
    }

    // MARK: Lists

    /// Opens the next collection's object and its list `updated`.
    package mutating func begin(_ collection: String) {
        out.writeString("\(hasCollections ? "," : "")\"\(collection)\":{\"updated\":[")
        hasCollections = true
        (open, hasRows) = (.updated, false)
        lists.append(Lists(collection: collection, begins: [out.writerIndex]))
    }

    /// Opens a list and closes the lists before it, in the order `updated`,
    /// `created`, `deleted`. No rows may be appended to a closed list.
    package mutating func open(_ bucket: SegmentScan.Buckets) {
        while open != bucket { openNext() }
    }

    private mutating func openNext() {
        let last = lists.count - 1
        lists[last].ends.append(out.writerIndex)
        out.writeString(open == .updated ? "],\"created\":[" : "],\"deleted\":[")
        lists[last].begins.append(out.writerIndex)
        if open == .updated {
            hasRows = PageWriter.move(&created, to: &out)
            open = .created
        } else {
            hasRows = PageWriter.move(&deleted, to: &out)
            open = .deleted
        }
    }

    private static func move(_ rows: inout ByteBuffer, to out: inout ByteBuffer) -> Bool {
        let moved = out.writeBuffer(&rows)
        rows.clear()
        return moved > 0
    }

    /// Closes the collection.
    package mutating func end() {
        open(.deleted)
        lists[lists.count - 1].ends.append(out.writerIndex)
        out.writeStaticString("]}")
    }

    /// Writes collections without rows.
    package mutating func pass(_ collections: [Collection]) {
        for collection in collections {
            begin(collection.name)
            end()
        }
    }

    // MARK: Rows

    /// Appends a live row to `created` or `updated`. `write` writes one JSON object of at most `maximumBytes` bytes.
    @inline(__always)
    package mutating func row(isCreated: Bool, maximumBytes: Int, _ write: (inout RawJSON) -> Void) {
        if isCreated, open == .updated {
            PageWriter.append(to: &created, after: created.readableBytes > 0, maximumBytes, write)
        } else {
            PageWriter.append(to: &out, after: hasRows, maximumBytes, write)
            hasRows = true
        }
    }

    @inline(__always)
    private static func append(
        to buffer: inout ByteBuffer, after others: Bool, _ maximumBytes: Int, _ write: (inout RawJSON) -> Void
    ) {
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: maximumBytes + 1) { memory in
            var json = RawJSON(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
            if others { json.raw(",") }
            write(&json)
            return json.count
        }
    }

    /// Appends a live row from its wire form.
    package mutating func row(_ json: JSON, isCreated: Bool) {
        if isCreated, open == .updated {
            created.writeString((created.readableBytes > 0 ? "," : "") + json.text)
        } else {
            out.writeString((hasRows ? "," : "") + json.text)
            hasRows = true
        }
    }

    /// Appends a tombstone's id to `deleted`. Ids need no JSON escapes.
    package mutating func tombstone(_ id: UnsafeBufferPointer<UInt8>) {
        if open == .deleted {
            PageWriter.append(id, to: &out, after: hasRows)
            hasRows = true
        } else {
            PageWriter.append(id, to: &deleted, after: deleted.readableBytes > 0)
        }
    }

    private static func append(_ id: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer, after others: Bool) {
        buffer.writeStaticString(others ? ",\"" : "\"")
        buffer.writeBytes(id)
        buffer.writeStaticString("\"")
    }

    /// Appends a tombstone's id to `deleted`.
    package mutating func tombstone(_ id: String) {
        var id = id
        id.withUTF8 { tombstone($0) }
    }

    // MARK: The end

    /// The document up to the end of `changes`. The caller appends the remaining members and the closing brace.
    package consuming func changes() -> ByteBuffer {
        out.writeStaticString("}")
        return out
    }
}
