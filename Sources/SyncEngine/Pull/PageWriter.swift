import NIOCore
package import SyncProtocol

/// Builds the body of a page: a bucket a collection, rows and tombstones in the order in which they come.
package struct PageWriter {
    private var out = ByteBuffer()
    /// `deleted` of the collection at hand, which the wire puts behind `updated`.
    private var tombstones = ByteBuffer()
    private var hasRows = false
    private var hasTombstones = false
    /// The list of live rows is closed already.
    private var isInTombstones = false
    private var hasCollections = false

    /// Reserves room for a page of that many rows.
    package init(expectedRows: Int) {
        out.reserveCapacity(expectedRows * 512 + 2048)
        out.writeStaticString("{\"changes\":{")
    }

    /// Opens the bucket of the next collection.
    mutating func begin(_ collection: String) {
        out.writeString("\(hasCollections ? "," : "")\"\(collection)\":{\"created\":[],\"updated\":[")
        hasCollections = true
        (hasRows, hasTombstones, isInTombstones) = (false, false, false)
    }

    /// Closes the list of live rows: only tombstones follow in this bucket.
    mutating func beginTombstones() {
        out.writeStaticString("],\"deleted\":[")
        isInTombstones = true
    }

    /// Closes the bucket.
    mutating func end() {
        if !isInTombstones { beginTombstones() }
        moveTombstones()
        out.writeStaticString("]}")
    }

    private mutating func moveTombstones() {
        out.writeBuffer(&tombstones)
        tombstones.clear()
    }

    /// Bytes written and not taken.
    package var byteCount: Int { out.readableBytes + tombstones.readableBytes }

    /// Takes out what is written so far. Tombstones stay until the list of live rows is closed.
    mutating func take() -> ByteBuffer {
        if isInTombstones { moveTombstones() }
        let taken = out
        out = ByteBuffer()
        out.reserveCapacity(taken.readableBytes)
        return taken
    }

    /// Appends a live row. `write` writes one JSON object of at most `maximumBytes` bytes.
    @inline(__always)
    package mutating func row(maximumBytes: Int, _ write: (inout RawJSON) -> Void) {
        let needsComma = hasRows
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: maximumBytes + 1) { memory in
            var json = RawJSON(memory.baseAddress!.assumingMemoryBound(to: UInt8.self))
            if needsComma { json.raw(",") }
            write(&json)
            return json.count
        }
        hasRows = true
    }

    /// Appends a live row from its wire form.
    package mutating func row(_ json: JSON) {
        out.writeString((hasRows ? "," : "") + json.text)
        hasRows = true
    }

    /// Appends a tombstone. Ids need no escapes.
    package mutating func tombstone(_ id: UnsafeBufferPointer<UInt8>) {
        tombstones.writeStaticString(hasTombstones ? ",\"" : "\"")
        tombstones.writeBytes(id)
        tombstones.writeStaticString("\"")
        hasTombstones = true
    }

    /// Appends a tombstone.
    package mutating func tombstone(_ id: String) {
        var id = id
        id.withUTF8 { tombstone($0) }
    }

    /// Ends the document. `total` is an estimate, which what was served corrects.
    consuming func finish(timestamp: SyncSeq, nextCursor: String?, rows: Int, total: Int?) -> ByteBuffer {
        finish(trailer: [
            "timestamp": .int(timestamp.rawValue),
            "next_cursor": nextCursor.map(JSON.string) ?? .null,
            "has_more": .bool(nextCursor != nil),
            "progress": ["rows": .int(Int64(rows)), "total": total.map { .int(Int64(max($0, rows))) } ?? .null],
        ])
    }

    /// `trailer` holds the members next to `changes`.
    private consuming func finish(trailer: [String: JSON]) -> ByteBuffer {
        out.writeStaticString("}")
        for (name, value) in trailer.sorted(by: { $0.key < $1.key }) { out.writeString(",\"\(name)\":\(value.text)") }
        out.writeStaticString("}")
        return out
    }
}
