import SyncProtocol
import SyncSchema
import Testing

/// An operator can narrow the collections that can be uploaded.
@Suite struct UploadLimitTests {
    @Test func onlyTheNamedCollectionsStayUploadable() throws {
        let whole = try Registry.builtIn()
        let narrow = try whole.limitingUploads(to: ["tasks", "risks"])
        #expect(narrow.collections.filter(\.isUploadable).map(\.name) == ["tasks", "risks"])
        #expect(narrow["sprints"]?.document["x-uploadable"] == false)
        #expect(narrow["projects"]?.document["x-uploadable-user-wide"] == false)
        #expect(narrow["tasks"]?.document == whole["tasks"]?.document)
        #expect(narrow.collections.map { $0.fields.map(\.name) } == whole.collections.map { $0.fields.map(\.name) })
        #expect(narrow.version != whole.version, "clients must read the schemas again")
    }

    @Test func allOfThemAreTheSameAsNone() throws {
        let whole = try Registry.builtIn()
        let names = whole.collections.filter { $0.isUploadable(userWide: true) }.map(\.name)
        #expect(try whole.limitingUploads(to: names).version == whole.version)
    }

    @Test(arguments: [
        ("nope", "there is no collection nope"), ("memberships", "the schema does not let memberships be uploaded"),
        ("", "an entry is empty"),
    ])
    func aNameThatCantBeUploadedIsRefused(name: String, reason: String) throws {
        let error = #expect(throws: UploadLimitError.self) {
            try Registry.builtIn().limitingUploads(to: ["tasks", name])
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.description.contains("TIDEMARK_SYNC_UPLOAD_COLLECTIONS") == true)
        #expect(error?.description.contains("calendars, sprints, tasks") == true)
    }
}
