import SyncProtocol

extension Answer {
    /// Whether the pull had to wait.
    var isHeld: Bool { header("Server-Timing") != nil }

    /// Whether a held pull was woken, long before its 60 seconds were over. When they are over it looks
    /// once more, and would give the same answer.
    var wasWoken: Bool {
        guard let held = header("Server-Timing"), held.hasPrefix("wait;dur=") else { return false }
        return Int(held.dropFirst("wait;dur=".count)).map { $0 < 50_000 } ?? false
    }

    /// The ids of the collection's rows in both lists of a pull.
    func ids(_ collection: String) -> [String] {
        let changes = json["changes"]?[collection]
        return ["created", "updated"].flatMap { changes?[$0]?.array ?? [] }.compactMap { $0["id"]?.string }
    }

    /// The status and the code of a refusal.
    var refusal: String { "\(status) \(json["code"]?.string ?? "")" }
}
