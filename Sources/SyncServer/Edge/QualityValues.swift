/// The values of `Accept` or `Accept-Encoding` with their weights
/// (RFC 9110 section 12.4.2). Other parameters are ignored.
struct QualityValues {
    private var weights: [Substring: Double] = [:]

    init(_ header: String) {
        for element in header.lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimming(while: \.isWhitespace) }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            weights[name] = weight ?? 1
        }
    }

    var names: some Collection<Substring> { weights.keys }

    /// The weight of a name; nil if the list does not have it. 0 means that the client does not accept it.
    subscript(name: String) -> Double? { weights[Substring(name)] }
}
