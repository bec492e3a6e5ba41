package import NIOCore
package import SyncProtocol
package import SyncSchema

/// Builds the JSON body of a page of a drain: `updated`, `created` and `deleted` of each collection, and `left` in a
/// drain of a part, with rows in the order in which they are appended.
package struct PageWriter {
    private var out = ByteBuffer()
    /// Rows of lists that are not open yet.
    private var created = ByteBuffer()
    private var deleted = ByteBuffer()
    private var left = ByteBuffer()
    /// Whether each collection has the list `left`.
    private let hasLeft: Bool
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
        /// Nil if the document has no such list.
        package var left: Range<Int>? { begins.count > 3 ? begins[3]..<ends[3] : nil }
    }

    /// Reserves memory for a page of that many rows.
    package init(expectedRows: Int, hasLeft: Bool = false) {
        self.hasLeft = hasLeft
        out.reserveCapacity(expectedRows * 512 + 2048)
        out.writeStaticString("{\"changes\":{")
    }

    /// The bytes that are written and not taken out yet.
    package var byteCount: Int {
        out.readableBytes + created.readableBytes + deleted.readableBytes + left.readableBytes
    }

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
        open = .updated
        hasRows = false
        lists.append(Lists(collection: collection, begins: [out.writerIndex]))
    }

    /// Opens a list and closes the lists before it, in the order `updated`,
    /// `created`, `deleted`, `left`. No rows may be appended to a closed list.
    package mutating func open(_ bucket: SegmentScan.Buckets) {
        while open != bucket { openNext() }
    }

    private mutating func openNext() {
        let last = lists.count - 1
        lists[last].ends.append(out.writerIndex)
        switch open {
        case .updated:
            out.writeStaticString("],\"created\":[")
            lists[last].begins.append(out.writerIndex)
            hasRows = PageWriter.move(&created, to: &out)
            open = .created
        case .created:
            out.writeStaticString("],\"deleted\":[")
            lists[last].begins.append(out.writerIndex)
            hasRows = PageWriter.move(&deleted, to: &out)
            open = .deleted
        default:
            out.writeStaticString("],\"left\":[")
            lists[last].begins.append(out.writerIndex)
            hasRows = PageWriter.move(&left, to: &out)
            open = .left
        }
    }

    private static func move(_ rows: inout ByteBuffer, to out: inout ByteBuffer) -> Bool {
        let moved = out.writeBuffer(&rows)
        rows.clear()
        return moved > 0
    }

    /// Closes the collection.
    package mutating func end() {
        open(hasLeft ? .left : .deleted)
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

    /// Appends a tombstone's id to `deleted`, or the id of a row that leaves the part to `left`. Ids need no JSON
    /// escapes.
    package mutating func id(_ id: UnsafeBufferPointer<UInt8>, in bucket: SegmentScan.Buckets) {
        if open == bucket {
            PageWriter.append(id, to: &out, after: hasRows)
            hasRows = true
        } else if bucket == .left {
            PageWriter.append(id, to: &left, after: left.readableBytes > 0)
        } else {
            PageWriter.append(id, to: &deleted, after: deleted.readableBytes > 0)
        }
    }

    /// The same for an id as text.
    package mutating func id(_ id: String, in bucket: SegmentScan.Buckets) {
        var id = id
        id.withUTF8 { self.id($0, in: bucket) }
    }

    private static func append(_ id: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer, after others: Bool) {
        buffer.writeStaticString(others ? ",\"" : "\"")
        buffer.writeBytes(id)
        buffer.writeStaticString("\"")
    }

    // MARK: The end

    /// The document up to the end of `changes`. The caller appends the remaining members and the closing brace.
    package consuming func changes() -> ByteBuffer {
        out.writeStaticString("}")
        return out
    }
}

/// Writes JSON into memory that the caller has reserved, without bounds checks: the hot path of a pull.
///
/// The unsafe pointer is sound because `PageWriter.row` reserves the most bytes that `RawJSON` may write, and because
/// the pointer never leaves that method's closure.
package struct RawJSON: ~Copyable {
    private let start: UnsafeMutablePointer<UInt8>
    private var end: UnsafeMutablePointer<UInt8>

    package init(_ start: UnsafeMutablePointer<UInt8>) {
        self.start = start
        end = start
    }

    /// The bytes written so far.
    package var count: Int { end - start }

    /// The most bytes of a number, sign and exponent included.
    package static let maximumNumberBytes = 26

    /// The most bytes of a string of `count` UTF-8 bytes: every byte escaped, and the quotes.
    package static func maximumStringBytes(_ count: Int) -> Int { count * 6 + 2 }

    /// Appends bytes as they are.
    @inline(__always)
    package mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else { return }
        end.update(from: base, count: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    package mutating func raw(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends an integer in decimal.
    @inline(__always)
    package mutating func integer(_ value: Int64) {
        if value < 0 { byte(0x2D) }
        var digits = value.magnitude
        let length = RawJSON.decimalDigits(digits)
        var place = end + length
        end = place
        repeat {
            place -= 1
            place.pointee = UInt8(truncatingIfNeeded: 0x30 + digits % 10)
            digits /= 10
        } while digits > 0
    }

    /// Appends a finite number. Whole numbers have no fraction.
    package mutating func double(_ value: Double) {
        if let whole = Int64(exactly: value) { return integer(whole) }
        var text = value.description
        text.withUTF8 { raw($0) }
    }

    /// Appends a quoted and escaped string. `bytes` must be valid UTF-8.
    @inline(__always)
    package mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) {
        byte(0x22)
        var clean = 0
        for index in 0..<bytes.count where RawJSON.needsEscape(bytes[index]) {
            raw(UnsafeBufferPointer(rebasing: bytes[clean..<index]))
            escape(bytes[index])
            clean = index + 1
        }
        raw(UnsafeBufferPointer(rebasing: bytes[clean...]))
        byte(0x22)
    }

    @inline(__always)
    private mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x22 || byte == 0x5C }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x22: raw("\\\"")
        case 0x5C: raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        default:
            raw("\\u00")
            self.byte(byte < 0x10 ? 0x30 : 0x31)
            let low = byte & 15
            self.byte(low < 10 ? 0x30 + low : 0x57 + low)
        }
    }

    private static func decimalDigits(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
