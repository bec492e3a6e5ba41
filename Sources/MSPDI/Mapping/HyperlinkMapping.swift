import SyncProtocol

extension PlanMapping {
    /// The rows of `task_links`: the web addresses of tasks.
    func hyperlinkRows(_ outline: Outline) -> [[String: JSON]] {
        outline.nodes.compactMap { node in
            guard let address = node.task.hyperlinkAddress else {
                if node.task.hyperlink != nil { omissions.count("hyperlink titles without address of", "task") }
                return nil
            }
            guard let url = webAddress(address) else { return nil }
            let title = Texts(omissions).cut(node.task.hyperlink ?? "", to: 512, of: "hyperlink", "title")
            return [
                "id": .string(newID()), "task": .string(node.id), "url": .string(url), "title": .string(title),
                "display_order": 0,
            ]
        }
    }

    private func webAddress(_ address: String) -> String? {
        guard let url = WebAddress(address)?.text else {
            omissions.count("hyperlinks of", "task", "that are not web addresses")
            return nil
        }
        guard url.unicodeScalars.count <= 2048 else {
            omissions.count("hyperlinks of", "task", "that are longer than 2048 characters")
            return nil
        }
        return url
    }
}
