import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

@testable import SyncEngine

/// The calendar of a project that was made offline.
@Suite struct NewCalendarTests {
    private let scene: Scene
    let phone: Client

    init() async throws {
        scene = try await Scene()
        phone = try await scene.client(.member).ofAllProjects
    }

    /// Its client knows the calendar's id before it syncs: SHA-256 of `calendar:new`.
    @Test func theDefaultCalendarHasAnIDThatTheClientKnows() {
        #expect(NewProject.calendarID(of: "new") == "c-5a8f7918bc31955523c29fe1c5c41e4e")
    }

    /// The batch may hold the default calendar, or another one that the project names. Then there is only that one.
    @Test(arguments: [true, false]) func theBatchMayHoldTheCalendar(isDefault: Bool) async throws {
        let id = isDefault ? NewProject.calendarID(of: "new") : "mine"
        let project = Self.project("new", isDefault ? ["calendar": nil] : ["calendar": "mine"])
        let answer = try await upload([
            "projects": ["updated": [project]], "calendars": ["created": [Self.row(id)]],
        ])
        #expect(answer.status == 200, "\(answer.text)")
        let drain = try await phone.drain()
        let calendars = drain.rows.filter { $0.key.collection == "calendars" && $0.value["project_id"] == "new" }
        #expect(calendars.map(\.key.id) == [id] && calendars.first?.value["name"] == "Row")
        #expect(drain.row("projects", "new")?["calendar"] == .string(id))
    }

    /// WatermelonDB stores an empty text in a column that the app did not set.
    @Test func anEmptyCalendarIsNone() async throws {
        let answer = try await upload(
            ["projects": ["created": [Self.project("new", ["calendar": "", "project_id": ""])]]], mode: "repair",
            ["encoding": "watermelondb"])
        #expect(answer.status == 200 && answer.json["rejected"] == [:], "\(answer.text)")
        #expect(
            try await phone.drain().row("projects", "new")?["calendar"] == .string(NewProject.calendarID(of: "new")))
    }

    @Test func aCalendarIDThatIsTakenElsewhereBecomesARandomOne() async throws {
        let id = NewProject.calendarID(of: "new")
        try await scene.otherProject("p9").edit { try $0.insert("calendars", id, ["name": "Taken"]) }
        #expect(try await upload(["projects": ["created": [Self.project()]]]).status == 200)
        let drain = try await phone.drain()
        let named = try #require(drain.row("projects", "new")?["calendar"]?.string)
        #expect(named != id && drain.row("calendars", named)?["name"] == "Standard")
    }

    /// A client may send its own calendar under the default id after the project. Once somebody has changed the
    /// calendar, such a row is an echo.
    @Test func theDefaultCalendarMayFollowItsProject() async throws {
        let id = NewProject.calendarID(of: "new")
        let row = Self.row(id, in: "new", ["name": "Mine", "_status": "created", "_changed": ""])
        let calendars: JSON = ["calendars": ["created": [row]]]
        #expect(try await upload(["projects": ["created": [Self.project()]]]).status == 200)
        let sent = try await upload(calendars, mode: "repair")
        #expect(sent.at("/applied/calendars/created/0/server_version") == 2, "\(sent.text)")
        #expect(try await phone.drain().row("calendars", id)?["name"] == "Mine")
        #expect(try await phone.patch("calendars", id, ["name": "Theirs"]).status == 200)
        _ = try await upload(calendars, mode: "repair")
        #expect(try await phone.drain().row("calendars", id)?["name"] == "Theirs")
    }

    /// The client knows the id of the default calendar, so it may name it.
    @Test(arguments: [false, true]) func aProjectMayNameItsDefaultCalendar(isTaken: Bool) async throws {
        let id = NewProject.calendarID(of: "new")
        if isTaken { try await scene.otherProject("p9").edit { try $0.insert("calendars", id, ["name": "Taken"]) } }
        let answer = try await upload(["projects": ["created": [Self.project("new", ["calendar": .string(id)])]]])
        #expect(answer.status == 200, "\(answer.text)")
        let drain = try await phone.drain()
        let named = drain.row("projects", "new")?["calendar"]?.string ?? ""
        #expect((named == id) == !isTaken && drain.row("calendars", named)?["name"] == "Standard")
    }

    /// The id is taken by another project of the same batch.
    @Test func theDefaultCalendarOfOneProjectMayBeARowOfAnother() async throws {
        let id = NewProject.calendarID(of: "new")
        let answer = try await upload([
            "projects": ["created": [Self.project(), Self.project("other")]],
            "calendars": ["created": [Self.row(id, in: "other")]],
        ])
        #expect(answer.status == 200, "\(answer.text)")
        let drain = try await phone.drain()
        #expect(drain.row("calendars", id)?["project_id"] == "other")
        #expect(drain.row("projects", "new")?["calendar"] != .string(id))
    }
}

extension NewCalendarTests: UploadsProjects {}
