import HTTPTypes
import SyncProtocol

extension Endpoint {
    /// The operation object of the document. `schemas` are the
    /// document's component schemas, from which examples are made.
    func operation(_ schemas: [String: JSON]) -> JSON {
        var members: [String: JSON] = [
            "operationId": .string(id), "tags": [.string(tag.name)], "summary": .string(summary),
            "responses": .object(responses(schemas)),
        ]
        if !details.isEmpty { members["description"] = .string(details) }
        if isOpen { members["security"] = [] }
        if !parameters.isEmpty { members["parameters"] = .array(parameters.map(\.json)) }
        if let body {
            let content: JSON = ["schema": body, "example": bodyExample(schemas) ?? .null]
            members["requestBody"] = ["required": true, "content": ["application/json": content]]
        }
        return .object(members)
    }

    /// A body that a client may send; nil if the endpoint takes none.
    func bodyExample(_ schemas: [String: JSON]) -> JSON? {
        example?.body ?? body.map { SampleValue(schemas: schemas).of($0) }
    }

    /// An answer that the endpoint may give; nil if it is not JSON.
    func answerExample(_ schemas: [String: JSON]) -> JSON? {
        guard let answer = answers.first(where: { $0.schema != nil }), answer.mediaType == "application/json",
            let schema = answer.schema
        else { return nil }
        return example?.answer ?? SampleValue(schemas: schemas, isWhole: true).of(schema)
    }

    private func responses(_ schemas: [String: JSON]) -> [String: JSON] {
        var responses: [String: JSON] = [:]
        for answer in answers { responses[String(answer.status.code)] = answer.json(answerExample(schemas)) }
        for (status, codes) in codesByStatus {
            responses[String(status.code)] = ProblemResponses.response(status, codes)
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
        if mayBeEmpty { members["allowEmptyValue"] = true }
        return .object(members)
    }
}

extension Endpoint.Answer {
    fileprivate func json(_ example: JSON?) -> JSON {
        var members: [String: JSON] = ["description": .string(summary)]
        if let schema {
            var content: [String: JSON] = ["schema": schema]
            if mediaType == "application/json" { content["example"] = example }
            members["content"] = .object([mediaType: .object(content)])
        }
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
