import HTTPTypes
import SyncProtocol

/// A `curl` command that tries an endpoint.
struct CurlLine {
    let endpoint: Endpoint
    let schemas: [String: JSON]

    var text: String {
        var words = ["curl"]
        if endpoint.method != .get { words.append("-X \(endpoint.method.rawValue)") }
        if !endpoint.isOpen { words.append("-H \"Authorization: Bearer $TOKEN\"") }
        if let body = endpoint.body {
            let sample = (endpoint.example?.body ?? SampleValue(schemas: schemas).of(body)).text.replacing(
                "'", with: "'\\''")
            words.append("-H 'Content-Type: application/json' -d '\(sample)'")
        }
        return (words + ["\"$TIDEMARK/api/v1\(path)\""]).joined(separator: " ")
    }

    /// The path, with a shell variable for each parameter: `$PROJECT` for `{project}`.
    private var path: String {
        endpoint.parameters.filter { $0.place == .path }
            .reduce(endpoint.path) { $0.replacing("{\($1.name)}", with: "$" + $1.name.uppercased()) }
    }
}
