import NIOCore
import SyncProtocol
import SyncStore

/// What a page has of one project.
struct PartPage: Sendable {
    let changes: ByteBuffer
    let lists: [PageWriter.Lists]
    let rows: Int
    /// Where the next page continues; nil if the part is done.
    let next: SharedPage.Place?
}

extension [PartPage] {
    /// One document of several parts. Each collection has its key once, because a reader of
    /// JSON keeps only the last of two members with one name.
    func joined() -> ByteBuffer {
        guard count != 1 else { return self[0].changes }
        var out = ByteBuffer()
        out.reserveCapacity(reduce(64) { $0 + $1.changes.readableBytes })
        out.writeStaticString("{\"changes\":{")
        for (index, lists) in (first?.lists ?? []).enumerated() {
            out.writeString("\(index == 0 ? "" : ",")\"\(lists.collection)\":{\"updated\":[")
            write(to: &out) { $0.lists[index].updated }
            out.writeStaticString("],\"created\":[")
            write(to: &out) { $0.lists[index].created }
            out.writeStaticString("],\"deleted\":[")
            write(to: &out) { $0.lists[index].deleted }
            out.writeStaticString("]}")
        }
        out.writeStaticString("}")
        return out
    }

    private func write(to out: inout ByteBuffer, _ range: (PartPage) -> Range<Int>) {
        var isFirst = true
        for part in self {
            let range = range(part)
            guard !range.isEmpty, let rows = part.changes.getSlice(at: range.lowerBound, length: range.count) else {
                continue
            }
            if !isFirst { out.writeStaticString(",") }
            isFirst = false
            out.writeImmutableBuffer(rows)
        }
    }
}
