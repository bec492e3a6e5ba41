import SyncProtocol
import SyncSchema
import Testing

@Suite struct ValueSchemaTests {
    private func field(_ collection: String, _ name: String) throws -> ValueSchema {
        try #require(Registry.builtIn()[collection]?.field(name)?.value)
    }

    @Test(
        arguments: [
            ("tasks", "name", "A", "A"), ("tasks", "wbs_path", nil, nil), ("tasks", "percent_complete", 99.5, 99.5),
            ("tasks", "percent_complete", 100.0, 100), ("tasks", "planned_start", "2028-02-29", "2028-02-29"),
            ("tasks", "modified_at", "2026-01-05T09:00:00+01:00", "2026-01-05T08:00:00.000Z"),
            ("calendars", "timezone", "Europe/Berlin", "Europe/Berlin"),
            (
                "calendars", "exceptions", [["exc_start": "2026-01-01", "exc_end": "2026-01-02", "colour": "red"]],
                [["exc_start": "2026-01-01", "exc_end": "2026-01-02"]]
            ),
        ] as [(String, String, JSON, JSON)])
    func acceptedValuesTakeTheirNormalForm(collection: String, name: String, value: JSON, normal: JSON) throws {
        #expect(try field(collection, name).normalized(value) == normal)
    }

    @Test(
        arguments: [
            ("tasks", "name", nil, .wrongType, ""), ("tasks", "name", 5, .wrongType, ""),
            ("tasks", "name", "a\u{0}b", .badFormat, ""), ("tasks", "status", "DONE", .notInEnum, ""),
            ("tasks", "percent_complete", 100.5, .outOfRange, ""), ("tasks", "duration", -1, .outOfRange, ""),
            ("tasks", "duration", 1.5, .wrongType, ""), ("tasks", "is_milestone", 1, .wrongType, ""),
            ("tasks", "planned_start", "2026-02-29", .badFormat, ""),
            ("tasks", "modified_at", "yesterday", .badFormat, ""),
            ("calendars", "hours_per_day", 0, .outOfRange, ""),
            ("calendars", "timezone", "Mars/Olympus", .badFormat, ""),
            ("calendars", "exceptions", [["exc_start": "2026-01-01"]], .required, "/0/exc_end"),
            ("task_links", "url", "ftp://example.org", .badFormat, ""), ("task_links", "labels", [1], .wrongType, "/0"),
            ("risks", "task_ids", ["a", "a"], .inconsistent, ""), ("memberships", "role", 2, .notInEnum, ""),
            ("task_recurrence_rules", "time_of_day", "9:00", .badFormat, ""),
        ] as [(String, String, JSON, ErrorCode, String)])
    func otherValuesAreRefusedWithCodeAndPlace(
        collection: String, name: String, value: JSON, code: ErrorCode, pointer: String
    ) throws {
        let violation = #expect(throws: Violation.self) { try field(collection, name).normalized(value) }
        #expect(violation?.code == code)
        #expect(violation?.pointer == pointer)
    }

    /// A null in such a field would be an error of the store's.
    @Test func whatMustNotBeNullIsNotRepairedWithNull() throws {
        let repaired = try field("projects", "start_date").repaired("tomorrow", fallback: .null)
        // Not `== nil`, which a `JSON` null is too.
        #expect(repaired.map(\.text) == .none)
    }

    @Test func lengthCountsCharactersNotBytes() throws {
        let name = try field("tasks", "name")
        #expect(try name.normalized(.string(String(repeating: "ü", count: 512))).string?.count == 512)
        #expect(throws: Violation.self) { try name.normalized(.string(String(repeating: "a", count: 513))) }
    }
}
