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
        guard let scheme = ["http://", "https://"].first(where: { address.lowercased().hasPrefix($0) }),
            address.count > scheme.count, !address.contains(where: { $0.isWhitespace && $0 != " " })
        else {
            omissions.count("hyperlinks of", "task", "that are no web addresses")
            return nil
        }
        let url = scheme + address.dropFirst(scheme.count).split(separator: " ").joined(separator: "%20")
        guard url.unicodeScalars.count <= 2048 else {
            omissions.count("hyperlinks of", "task", "that are longer than 2048 characters")
            return nil
        }
        return url
    }
}
