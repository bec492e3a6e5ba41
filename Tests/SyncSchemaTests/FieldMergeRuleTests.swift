import SyncProtocol
import SyncSchema
import SyncValues
import Testing

/// `x-merge`: what two sides' changes of one value make, and which fields may have it.
@Suite struct FieldMergeRuleTests {
    @Test func setsKeepTheServersOrder() {
        for (sent, base, stored, result) in [
            (["c", "a"], ["a", "b"], ["x", "b", "a"], ["x", "a", "c"]),
            (["a"], ["a"], ["b"], ["b"]),
            (["a", "b"], [], ["b"], ["b", "a"]),
            ([], ["a"], ["a"], []),
            ([1, 2], .null, [2, 3], [2, 3, 1]),
            ([1], [1, 2], .null, []),
        ] as [(JSON, JSON, JSON, JSON)] {
            #expect(FieldMerge.set.merged(sent, from: base, into: stored) == result)
        }
        #expect(FieldMerge.set.merged(.null, from: ["a"], into: ["a", "b"]) == Optional.none)
    }

    @Test func mapsMergeTheirMembers() {
        for (sent, base, stored, result) in [
            (["a": 2, "b": 1], ["a": 1, "b": 1], ["a": 1, "b": 3], ["a": 2, "b": 3]),
            (["b": 1], ["a": 1, "b": 1], ["a": 1, "c": 1], ["c": 1]),
            (["a": 2], ["a": 1], ["a": 2, "b": 1], ["a": 2, "b": 1]),
            (["a": .null], [:], ["b": 1], ["a": .null, "b": 1]),
            (["a": ["x": 1]], .null, .null, ["a": ["x": 1]]),
        ] as [(JSON, JSON, JSON, JSON)] {
            #expect(FieldMerge.map.merged(sent, from: base, into: stored) == result)
        }
        #expect(FieldMerge.map.merged(["a": 2], from: ["a": 1], into: ["a": 3]) == Optional.none)
        #expect(FieldMerge.map.merged([:], from: ["a": 1], into: ["a": 3]) == Optional.none)
        #expect(FieldMerge.map.merged(["a": 2], from: ["a": 1], into: [:]) == Optional.none)
    }

    @Test func countersAddUpAsFarAsTheyCan() {
        #expect(FieldMerge.counter.merged(8, from: 5, into: 7) == 10)
        #expect(FieldMerge.counter.merged(.int(.min), from: .int(.max), into: .int(.max)) == .int(.min))
        #expect(FieldMerge.counter.merged(.int(.max), from: 0, into: 1) == Optional.none)
        #expect(FieldMerge.counter.merged(1, from: .null, into: 1) == Optional.none)
    }

    private func error(of field: [String: JSON], in collection: String = "risks") -> String? {
        var documents = RegistryTests.documents
        documents[collection]!.setProperty("f", .object(field))
        do {
            _ = try RegistryTests.registry(documents)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            ["type": "array", "items": ["type": "string"], "uniqueItems": true, "default": [], "x-merge": "set"],
            ["type": ["object", "null"], "x-merge": "map"],
            ["type": "integer", "default": 0, "x-merge": "counter"],
            [
                "type": "array", "items": ["type": "integer"], "maxItems": 3, "default": [],
                "x-user": ["on-leave": "clear"], "x-merge": "set",
            ],
        ] as [[String: JSON]])
    func fieldsWithPartsMayMerge(_ field: [String: JSON]) {
        #expect(error(of: field) == nil)
    }

    @Test(
        arguments: [
            (["type": "array", "items": ["type": "string"], "default": [], "x-merge": "set"], "uniqueItems"),
            (["type": "string", "default": "", "x-merge": "set"], "uniqueItems"),
            (["type": "string", "default": "", "x-merge": "map"], "objects"),
            (["type": "number", "default": 0, "x-merge": "counter"], "integers"),
            (["type": ["integer", "null"], "x-merge": "counter"], "null"),
            (["type": "integer", "default": 0, "readOnly": true, "x-merge": "counter"], "only the server"),
            (["type": "integer", "default": 0, "x-merge": "sum"], "x-merge"),
        ] as [([String: JSON], String)])
    func otherFieldsAreRefusedAtTheStart(field: [String: JSON], reason: String) throws {
        let text = try #require(error(of: field))
        #expect(text.contains("x-merge") && text.contains(reason), "\(text)")
    }

    @Test func membershipsDoNotMerge() throws {
        let text = try #require(error(of: ["type": "integer", "default": 0, "x-merge": "counter"], in: "memberships"))
        #expect(text.contains("membership"), "\(text)")
    }

    @Test func theTasksOfARiskAreASet() throws {
        let registry = try Registry.builtIn()
        let merging = registry.collections.flatMap { collection in
            collection.fields.filter { $0.merge != nil }.map { "\(collection.name).\($0.name)" }
        }
        #expect(merging == ["risks.task_ids"])
    }
}
