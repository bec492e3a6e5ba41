import NIOCore
package import SyncProtocol

/// Builds the body of a page: a bucket a collection, rows and tombstones in the order in which they come.
package struct PageWriter {
    private var out = ByteBuffer()
    /// `deleted` of the collection at hand, which the wire puts behind `updated`.
    private var tombstones = ByteBuffer()
    /// `created` of the collection at hand, which the wire puts behind `updated` as well.
    private var created = ByteBuffer()
    private var hasRows = false
    private var hasCollections = false

    /// Where a page ends, whatever its number of rows: texts may be long, and a page is held in memory.
    private static let fullSize = 8 << 20

    /// Whether the page should take no more rows. An empty one never is, so that every page gets on.
    package var isFull: Bool { out.readableBytes >= PageWriter.fullSize }

    /// Reserves room for a page of that many rows.
    package init(expectedRows: Int) {
        out.reserveCapacity(expectedRows * 512 + 2048)
        out.writeStaticString("{\"changes\":{")
    }

    /// Opens the bucket of the next collection.
    mutating func begin(_ collection: String) {
        out.writeString("\(hasCollections ? "," : "")\"\(collection)\":{\"updated\":[")
        hasCollections = true
        hasRows = false
    }

    /// Closes the bucket.
    mutating func end() {
        out.writeStaticString("],\"created\":[")
        out.writeBuffer(&created)
        created.clear()
        out.writeStaticString("],\"deleted\":[")
        out.writeBuffer(&tombstones)
        out.writeStaticString("]}")
        tombstones.clear()
    }

    /// Appends a live row to `created` or `updated`. `write` writes one JSON object of at most `maximumBytes` bytes.
    @inline(__always)
    package mutating func row(isCreated: Bool, maximumBytes: Int, _ write: (inout RawJSON) -> Void) {
        if isCreated {
            PageWriter.append(to: &created, behind: created.readableBytes > 0, maximumBytes, write)
        } else {
            PageWriter.append(to: &out, behind: hasRows, maximumBytes, write)
            hasRows = true
        }
    }

    @inline(__always)
    private static func append(
        to buffer: inout ByteBuffer, behind others: Bool, _ maximumBytes: Int, _ write: (inout RawJSON) -> Void
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
        if isCreated {
            created.writeString((created.readableBytes > 0 ? "," : "") + json.text)
        } else {
            out.writeString((hasRows ? "," : "") + json.text)
            hasRows = true
        }
    }

    /// Appends a tombstone. Ids need no escapes.
    package mutating func tombstone(_ id: UnsafeBufferPointer<UInt8>) {
        tombstones.writeStaticString(tombstones.readableBytes > 0 ? ",\"" : "\"")
        tombstones.writeBytes(id)
        tombstones.writeStaticString("\"")
    }

    /// Appends a tombstone.
    package mutating func tombstone(_ id: String) {
        var id = id
        id.withUTF8 { tombstone($0) }
    }

    /// Ends the page: `trailer` holds the members next to `changes`.
    consuming func finish(trailer: [String: JSON]) -> ByteBuffer {
        out.writeStaticString("}")
        for (name, value) in trailer.sorted(by: { $0.key < $1.key }) { out.writeString(",\"\(name)\":\(value.text)") }
        out.writeStaticString("}")
        return out
    }
}
