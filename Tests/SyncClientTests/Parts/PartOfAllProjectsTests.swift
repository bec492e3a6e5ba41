import SyncProtocol
import Testing

@testable import SyncClientCore

/// Parts of all projects: projects that come and go with the filter.
@Suite struct PartOfAllProjectsTests {
    private typealias Scene = AllProjectsScene
    private let scene: Scene
    private var replica: Replica { scene.replica }
    private static let both = PartFilter(stored: #"{"projects":["p1","p2"]}"#)
    private static let first = PartFilter(stored: #"{"projects":["p1"]}"#)

    /// Holds the projects p1 and p2 at number 10.
    init() throws {
        scene = try Scene.pulled()
        try take(Scene.page(at: 11, heads: [:]), Self.both)
    }

    @discardableResult
    private func take(_ page: JSON, _ filter: PartFilter) throws -> Replica.Receipt? {
        var page = try PageReader(schema: Scene.schema).page(page.bytes, head: nil)
        (page.filter, page.isFiltered) = (filter, true)
        return try replica.apply(page, of: Scene.schema, after: replica.state(), at: .test)
    }

    private func outside() throws -> Set<String> { try replica.read { try OutsideRows(db: $0).ids(of: "tasks") } }

    @Test func aProjectThatTheFilterHasNoMoreGoesWithoutWhatIsUnsent() throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        // `heads` has it all the same: batches settle by it.
        let receipt = try take(Scene.page(at: 12, left: ["p2": "filtered"], heads: ["p2": 8]), Self.first)
        #expect(receipt?.left == [] && receipt?.dropped == 2)
        #expect(try scene.tasks() == ["a1", "a2", "b1"] && outside() == ["a2"])
        #expect(try replica.ids(of: "projects") == ["p1"] && replica.setAside().isEmpty)
        #expect(try scene.count("_project") == 2 && replica.unsentCount() == 1)
    }

    @Test func aPlainLossIsStillALoss() throws {
        try replica.update("a2", in: "tasks", with: ["name": "mine"])
        let receipt = try take(Scene.page(at: 12, left: ["p2": "membership_revoked"], heads: [:]), Self.both)
        #expect(receipt?.left.map(\.id) == ["p2"] && receipt?.left.first?.setAside == 1)
        #expect(try scene.tasks() == ["a1", "b1"] && outside().isEmpty)
    }

    /// A drain that begins again says nothing of rows that were deleted after the first one brought them.
    @Test func whatABrokenDrainBroughtOfAProjectIsForgotten() throws {
        try take(Scene.page(at: 12, left: ["p2": "filtered"], heads: [:]), Self.first)
        #expect(try scene.tasks() == ["a1", "b1"])
        let comes = Scene.page([Scene.project("p2")], [Scene.task("a2", "p2"), Scene.task("b2", "p2")], at: 13)
        try take(comes, Self.both)
        try replica.reset(resync: false)
        #expect(try scene.tasks() == ["a1", "b1"] && replica.ids(of: "projects") == ["p1"])
        #expect(try replica.state().target == Self.both && replica.state().filter == Self.first)
    }
}
