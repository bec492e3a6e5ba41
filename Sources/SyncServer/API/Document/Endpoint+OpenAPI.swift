import HTTPTypes
import SyncProtocol

extension Endpoint {
    /// The operation object of the document.
    var operation: JSON {
        var members: [String: JSON] = [
            "operationId": .string(id), "tags": [.string(tag.name)], "summary": .string(summary),
            "responses": .object(responses),
        ]
        if !details.isEmpty { members["description"] = .string(details) }
        if isOpen { members["security"] = [] }
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.json)) }
        if let body { members["requestBody"] = ["required": true, "content": ["application/json": ["schema": body]]] }
        return .object(members)
    }

    private var responses: [String: JSON] {
        var responses: [String: JSON] = [:]
        for answer in answers { responses[String(answer.status.code)] = answer.json }
        for (status, codes) in codesByStatus {
            responses[String(status.code)] = ["$ref": .string(ProblemResponses.reference(status, codes))]
        }
        return responses
    }
}

extension Endpoint.Parameter {
    fileprivate var json: JSON {
        var members: [String: JSON] = [
            "name": .string(name), "in": .string(place.rawValue), "schema": schema, "description": .string(summary),
        ]
        if place == .path { members["required"] = true }
        if isList { members["explode"] = false }
        return .object(members)
    }
}

extension Endpoint.Answer {
    fileprivate var json: JSON {
        var members: [String: JSON] = ["description": .string(summary)]
        if let schema { members["content"] = .object([mediaType: ["schema": schema]]) }
        if !headers.isEmpty { members["headers"] = headers.json }
        return .object(members)
    }
}

extension [Endpoint.Header] {
    /// The headers object of a response.
    var json: JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: map {
                    let header: JSON = [
                        "description": .string($0.summary), "schema": $0.schema, "required": .bool($0.isAlwaysThere),
                    ]
                    return ($0.name, header)
                }))
    }
}
