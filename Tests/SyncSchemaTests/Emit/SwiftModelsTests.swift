import Foundation
import SyncProtocol
import SyncSchema
import Testing

@Suite struct SwiftModelsTests {
    @Test func aRowIsAStructWithTheFieldsOfTheCollection() throws {
        let text = try SwiftModels(WatermelonSchemaTests.registry(), allProjects: true).text
        for part in [
            """
            /// What floats. Mostly.
            public struct BoatsRow: RowModel {
                public static let collection = "boats"

                public let id: String
                /// The number of edits of this row; 0 before the server has it. It is not a watermark.
                public let serverVersion: Int
                /// The row's project, which never changes.
                public let projectID: String
                public var berths: Berths
                /// YYYY-MM-DD.
                public var built: String?
                /// YYYY-MM-DDTHH:MM:SS.mmmZ.
                public let createdAt: String?
                public var crew: Int?
                public var isAfloat: Bool
                public var kind: Kind
                public var length: Double
                public var log: [JSON]
                /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
                public var modifiedAt: String?
                /// As painted on. */ alert(1)
                public var name: String
                /// Ids of rows of `risks`.
                public var risks: [String]

            """,
            """
                    self.berths = try row.decodeIfPresent(Berths.self, forKey: .berths) ?? .init(rawValue: 2)

            """,
            """
                    self.length = try row.decodeIfPresent(Double.self, forKey: .length) ?? 5.5

            """,
            """
                /// Values of `berths`.
                public enum Berths: RowEnum {
                    case value2
                    case value4
                    case unknown(Int)

            """,
            """
                    public init(
                        id: String? = nil,
                        projectID: String,
                        name: String,
                        berths: Berths? = nil,

            """,
        ] { #expect(text.contains(part), "\(part)") }
        let plain = try SwiftModels(WatermelonSchemaTests.registry()).text
        #expect(
            !plain.contains("projectID") && plain.hasPrefix("// Made by `tidemark schema --format swift` of schema "))
    }

    /// Only what can be edited in a replica has a type of new rows, and fields that can be set.
    @Test func whatOnlyTheServerWritesCanNotBeSet() throws {
        let text = try SwiftModels(Registry.builtIn(), allProjects: true).text
        let models = text.components(separatedBy: "\npublic struct ").dropFirst()
        let fixed = models.filter { !$0.contains("struct New: NewRowModel") }
        #expect(models.count == 14 && fixed.map { $0.hasPrefix("MembershipsRow") } == [true])
        #expect(fixed.allSatisfy { !$0.contains("public var ") || $0.contains("public var rawValue") })
        let plain = try SwiftModels(Registry.builtIn()).text
        #expect(plain.ranges(of: "struct New: NewRowModel").count == 12)
    }

    /// The tests of the client are compiled with these, and read and write rows by them.
    @Test func theModelsOfTheTestsAreTheOnesThatArePrinted() throws {
        let file = RegistryTests.repository.appending(path: "Tests/SyncClientTests/Models/PlanRows.swift")
        let text = try SwiftModels(Registry.builtIn(), allProjects: true).text
        #expect(try String(contentsOf: file, encoding: .utf8) == text, "tidemark schema --format swift --all-projects")
    }
}
