import SyncProtocol

/// Writes the web address of each task: a plan has room for one.
struct HyperlinkWriting {
    /// The link by the task's id.
    let links: [String: (url: String, title: String)]

    init(_ rows: [[String: JSON]], losses: Losses) {
        var links: [String: (url: String, title: String)] = [:]
        let ordered = rows.enumerated().sorted {
            ($0.element["display_order"]?.int ?? 0, $0.offset) < ($1.element["display_order"]?.int ?? 0, $1.offset)
        }
        for row in ordered.map(\.element) {
            let task = row["task"]?.string ?? ""
            let url = row["url"]?.string ?? ""
            if links[task] != nil {
                losses.add("task_links", "a plan has room for one link per task")
            } else if url.unicodeScalars.allSatisfy(\.isXML), WebAddress(url)?.text == url {
                links[task] = (url, losses.held(row["title"]?.string ?? "", of: "task_links.title"))
            } else {
                losses.add("task_links", "not an address that an import accepts")
            }
        }
        self.links = links
    }

    func write(_ task: [String: JSON], to xml: XMLWriter) {
        guard let link = links[task.id] else { return }
        xml.add("Hyperlink", link.title.isEmpty ? nil : link.title)
        xml.add("HyperlinkAddress", link.url)
    }
}
