import SyncProtocol
import SyncValues

/// Models of the rows for an app with the Swift client: for each collection a struct with its fields, which has the
/// values that a field may have as an enum, and a struct for new rows.
package struct SwiftModels: Sendable {
    package let text: String

    /// With `allProjects`, for a replica of all of a user's projects: each row has a `projectID`.
    package init(_ registry: Registry, allProjects: Bool = false) {
        var names = SwiftNames()
        let models = registry.collections.map {
            SwiftModel($0, name: names.take($0.rowType), allProjects: allProjects).text
        }
        let head = """
            // Made by `tidemark schema --format swift\(allProjects ? " --all-projects" : "")` of schema \
            \(registry.version).
            // swift-format-ignore-file
            public import SyncClient
            """
        text = ([head] + models).joined(separator: "\n\n") + "\n"
    }
}

/// The model of one collection.
struct SwiftModel {
    let collection: Collection
    let name: String
    /// The id of the row's project, in a replica of all projects. A project is its own.
    let project: SwiftProperty?
    let fields: [SwiftProperty]
    /// Whether rows can be made and changed in a replica.
    let isEditable: Bool

    init(_ collection: Collection, name: String, allProjects: Bool) {
        var names = SwiftNames(used: SwiftNames.ofModels)
        var types = SwiftNames(used: SwiftNames.ofTypes)
        let isEditable = collection.isUploadable(userWide: allProjects)
        self.collection = collection
        self.name = name
        self.isEditable = isEditable
        project = allProjects ? .project : nil
        fields = collection.fields.map { field in
            let name = names.take(SwiftNames.member(field.name))
            let type = SwiftEnum.isOne(field.value) ? types.take(SwiftNames.type(field.name)) : ""
            return SwiftProperty(field, of: collection, name: name, choice: type, isEditable: isEditable)
        }
    }

    var text: String {
        let parts =
            [stored, codingKeys(own + fields), decoding] + fields.compactMap(\.choice?.text)
            + (isEditable ? [newRow] : [])
        return """
            \(SwiftText.comment(collection.summary))public struct \(name): RowModel {
            \(SwiftText.indented(parts.joined(separator: "\n\n")))
            }
            """
    }

    /// What every row has.
    private var own: [SwiftProperty] { [.id, .serverVersion] + [project].compactMap { $0 } }

    private var stored: String {
        (["public static let collection = \"\(collection.name)\"\n"] + (own + fields).map(\.declaration))
            .joined(separator: "\n")
    }

    private func codingKeys(_ properties: [SwiftProperty]) -> String {
        """
        private enum CodingKeys: String, CodingKey {
        \(SwiftText.indented(properties.map(\.codingKey).joined(separator: "\n")))
        }
        """
    }

    private var decoding: String {
        """
        public init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: CodingKeys.self)
        \(SwiftText.indented((own + fields).map(\.decoding).joined(separator: "\n")))
        }
        """
    }

    /// The struct of new rows.
    private var newRow: String {
        let isProject = collection.scope == .project
        let place = project.map { isProject ? [] : [$0.inNewRow(isRequired: true)] } ?? []
        let required = fields.filter { !$0.isServerOwned && $0.isRequired }.map { $0.inNewRow(isRequired: true) }
        let others = fields.filter { !$0.isServerOwned && !$0.isRequired }.map { $0.inNewRow(isRequired: false) }
        let all = [SwiftProperty.id.inNewRow(isRequired: false)] + place + required + others
        let members = ["public static let collection = \"\(collection.name)\"\n"] + all.map(\.declaration)
        let parts = [members.joined(separator: "\n"), codingKeys(all), initializer(all)]
        return """
            /// A new row. A field that is nil gets the schema's default.
            public struct New: NewRowModel {
            \(SwiftText.indented(parts.joined(separator: "\n\n")))
            }
            """
    }

    private func initializer(_ properties: [SwiftProperty]) -> String {
        """
        public init(
        \(SwiftText.indented(properties.map(\.parameter).joined(separator: ",\n")))
        ) {
        \(SwiftText.indented(properties.map(\.assignment).joined(separator: "\n")))
        }
        """
    }
}
