import SyncProtocol
import SyncSchema
@testable import SyncValues
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

    /// Foundation makes zones of them, browsers and Python do not.
    @Test(arguments: [
        "UTC+2", "GMT-14", "UTC-0530", "GMT+0200", "UTC+18:00", "SystemV/PST8", "Factory", "", "europe/berlin",
        "Europe/Berlin ", "localtime", "posix/UTC", "+02:00", "Etc/GMT+15", "America",
    ])
    func aTimeZoneThatNoDatabaseHasIsRefused(name: String) throws {
        let violation = #expect(throws: Violation.self) { try field("calendars", "timezone").normalized(.string(name)) }
        #expect(violation?.code == .badFormat)
    }

    @Test(arguments: [
        "UTC", "GMT", "Etc/GMT+12", "GMT+0", "US/Pacific", "EST5EDT", "Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv",
        "America/Argentina/ComodRivadavia", "America/Coyhaique", "Antarctica/DumontDUrville",
    ])
    func aTimeZoneOfTheDatabaseIsAccepted(name: String) throws {
        #expect(try field("calendars", "timezone").normalized(.string(name)) == .string(name))
    }

    @Test func theNamesOfATimeZoneDatabaseAreItsZonesAndLinks() {
        let file = """
            # version 2031a
            R A 1916 o - Jun 14 23s 1 S
            Z Mars/Olympus 0 - X 1900
            1 A Y
            L Mars/Olympus Mars/Base
            Z Factory 0 - -00
            """
        #expect(TimeZoneNames.names(in: file) == ["Mars/Olympus", "Mars/Base"])
        #expect(TimeZoneNames.all.count >= 597)
    }

    /// The store would fail on a null in this field.
    @Test func whatMustNotBeNullIsNotRepairedWithNull() throws {
        let repaired = try field("projects", "start_date").repaired("tomorrow", fallback: .null)
        // Not `== nil`, which is also true for a `JSON` null.
        #expect(repaired.map(\.text) == .none)
    }

    @Test func lengthCountsCharactersNotBytes() throws {
        let name = try field("tasks", "name")
        #expect(try name.normalized(.string(String(repeating: "ü", count: 512))).string?.count == 512)
        #expect(throws: Violation.self) { try name.normalized(.string(String(repeating: "a", count: 513))) }
    }

    private func registry(_ schema: JSON) throws -> Registry {
        var documents = RegistryTests.documents
        documents["risks"]!.setProperty("title", schema)
        return try RegistryTests.registry(documents)
    }

    private func title(_ schema: JSON) throws -> ValueSchema {
        try #require(registry(schema)["risks"]?.field("title")?.value)
    }

    /// A `Double` can't tell these two numbers apart.
    @Test func largeIntegersAreComparedWithTheirBoundsExactly() throws {
        let bound: Int64 = 1 << 53
        let range = try title(["type": "integer", "minimum": .int(-bound), "maximum": .int(bound)])
        for value in [bound, -bound, 0] { #expect(try range.normalized(.int(value)) == .int(value)) }
        for value in [bound + 1, -bound - 1, .max, .min] {
            #expect(throws: Violation.self) { try range.normalized(.int(value)) }
            let nearest = JSON.int(value > 0 ? bound : -bound)
            #expect(range.repaired(.int(value), fallback: 0) == nearest)
        }
        let above = try title(["type": "integer", "exclusiveMinimum": .int(bound)])
        #expect(try above.normalized(.int(bound + 1)) == .int(bound + 1))
        let broken = try title(["type": "integer", "minimum": 0.5, "maximum": 2.5])
        for value: JSON in [1, 2] { #expect(try broken.normalized(value) == value) }
        for value: JSON in [0, 3] { #expect(throws: Violation.self) { try broken.normalized(value) } }
        #expect(broken.repaired(0, fallback: 1) == 1 && broken.repaired(7, fallback: 1) == 2)
    }

    @Test func aBoundThatNoNumberHoldsIsRefused() throws {
        let error = #expect(throws: SchemaError.self) {
            try registry(["type": "integer", "maximum": 9_007_199_254_740_993])
        }
        #expect(error?.pointer == "/properties/title/maximum")
    }

    /// The texts of an enum are compared in the form in which they are stored.
    @Test func theValuesOfAnEnumAreInTheirNormalForm() throws {
        let instants = try title(["type": "string", "format": "date-time", "enum": ["2026-01-05T09:00:00+01:00"]])
        #expect(try instants.normalized("2026-01-05T08:00:00Z") == "2026-01-05T08:00:00.000Z")
        let numbers = try title(["type": "number", "enum": [9_007_199_254_740_993]])
        #expect(try numbers.normalized(9_007_199_254_740_993) == 9_007_199_254_740_992)
    }

    @Test func whatIsNoNumberIsNotTaken() throws {
        let number = try title(["type": "number"])
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(throws: Violation.self) { try number.normalized(.double(value)) }
        }
        #expect(try number.normalized(.double(-0.0)).text == "0")
    }
}
