import SyncProtocol

/// Writes the links, each inside its successor.
struct LinkWriting {
    private let time: WrittenTime
    /// The links by the successor's id, with the predecessor's UID.
    private var links: [String: [(predecessor: Int, row: [String: JSON])]] = [:]

    init(_ rows: [[String: JSON]], outline: WrittenOutline, time: WrittenTime, losses: Losses) {
        self.time = time
        for row in rows {
            let (from, to) = (row["predecessor"]?.string ?? "", row["successor"]?.string ?? "")
            guard let index = outline.indexByID[from], let end = outline.indexByID[to] else {
                losses.add("dependencies", "a link to a task that does not exist")
                continue
            }
            if outline.isWithin(index, end) || outline.isWithin(end, index) {
                losses.add("dependencies", "between a summary and a task below it: an import leaves it out")
            }
            links[to, default: []].append((outline.uid(index), row))
        }
    }

    func write(to task: String, _ xml: XMLWriter) {
        for link in (links[task] ?? []).sorted(by: { $0.predecessor < $1.predecessor }) {
            xml.add("PredecessorLink") {
                xml.add("PredecessorUID", link.predecessor)
                xml.add("Type", LinkMapping.types.firstIndex(of: link.row["dep_type"]?.string ?? "FS"))
                xml.add("CrossProject", false)
                xml.add("LinkLag", time.tenths(days: Int(link.row["lag"]?.int ?? 0)))
                xml.add("LagFormat", WrittenTime.dayFormat)
            }
        }
    }
}
