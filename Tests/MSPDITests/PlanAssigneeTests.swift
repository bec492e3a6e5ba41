import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanAssigneeTests {
    private func plan(_ resources: [String], _ assignments: [(task: Int, resource: Int)]) throws -> ImportedPlan {
        let resources = resources.enumerated().map { "<Resource><UID>\($0 + 1)</UID>\($1)</Resource>" }
        let assignments = assignments.map {
            "<Assignment><TaskUID>\($0)</TaskUID><ResourceUID>\($1)</ResourceUID></Assignment>"
        }
        return try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>",
            tasks: PlanFixture.task(0) + PlanFixture.task(1) + PlanFixture.task(2),
            people: "<Resources><Resource><UID>0</UID><Name/></Resource>\(resources.joined())</Resources>"
                + "<Assignments>\(assignments.joined())</Assignments>")
    }

    @Test(arguments: [
        ("<Name>ADA</Name>", 1), ("<Name>ada lovelace</Name>", 1),
        ("<Name>X</Name><EmailAddress>Grace@Example.com</EmailAddress>", 2),
        ("<Name>X</Name><EmailAddress>ADA@elsewhere.org</EmailAddress>", 1),
        ("<Name>X</Name><NTAccount>CORP\\Linus</NTAccount>", 3), ("<Name>X</Name><NTAccount>ken</NTAccount>", 4),
    ])
    func resourcesAreMatchedToUsers(fields: String, user: Int64) throws {
        let plan = try plan([fields], [(1, 1)])
        #expect(plan.each("assignee") == [.int(user), nil])
        #expect(plan.assignees == [user])
        #expect(plan.notImported == [])
    }

    @Test func resourcesThatAreNoUsersAreListed() throws {
        let plan = try plan(
            ["<Name>Crane</Name>", "<Name>The Same</Name>", "<Name>Idle</Name>"], [(1, 1), (2, 1), (2, 2), (2, 1)])
        #expect(plan.assignees == [])
        #expect(
            plan.notImported == [
                "resource \"Crane\", assigned to 2 tasks: no user has that name",
                "resource \"The Same\", assigned to 1 task: several users have that name",
                "resource \"Idle\", assigned to 0 tasks: no user has that name",
            ])
    }

    @Test(arguments: [
        ("<Type>0</Type>", "material"), ("<Type>2</Type>", "cost"),
        ("<Type>0</Type><IsCostResource>1</IsCostResource>", "cost"),
    ])
    func aMaterialOrACostIsNobodyWhateverItsName(type: String, kind: String) throws {
        let plan = try plan(["<Name>Ada</Name>\(type)", "<Name>ken</Name><Type>1</Type>"], [(1, 1), (1, 2), (2, 1)])
        #expect(plan.each("assignee") == [4, nil])
        #expect(plan.assignees == [4])
        #expect(plan.notImported == ["resource \"Ada\", assigned to 2 tasks: a \(kind), which is no person"])
    }

    @Test func aTextInPlaceOfAUIDIsToldAsOne() throws {
        let plan = try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate><CalendarUID>std</CalendarUID>", tasks: PlanFixture.task(1),
            people: """
                <Resources><Resource><UID>r1</UID><Name>ada</Name></Resource></Resources><Assignments><Assignment>
                <TaskUID>1</TaskUID><ResourceUID>r1</ResourceUID></Assignment></Assignments>
                """)
        #expect(
            plan.notImported == [
                "unreadable ResourceUID of 1 assignment", "the project's calendar std, which is not in the plan",
                "1 assignment to a task or resource that is not in the plan",
                "resource \"ada\", whose UID \"r1\" is not a whole number",
            ])
    }

    @Test func theFirstUserOfATaskIsItsAssigneeAndOthersAreListed() throws {
        let plan = try plan(
            ["<Name>Crane</Name>", "<Name>ada</Name>", "<Name>ken</Name>"], [(1, 1), (1, 3), (1, 2), (2, 2), (1, 3)])
        #expect(plan.each("assignee") == [4, 1])
        #expect(plan.assignees == [1, 4])
        #expect(plan.notImported.last == "further assignee \"ada\" of 1 task")
    }

    @Test func assignmentsToNothingAreListedAndToNobodyIgnored() throws {
        let plan = try plan(["<Name>ada</Name>"], [(0, 1), (9, 1), (1, 9), (1, -65_535)])
        #expect(plan.assignees == [])
        #expect(plan.notImported == ["3 assignments to a task or resource that is not in the plan"])
    }

    @Test func onlyMembersStayAssigned() throws {
        let plan = try plan(["<Name>ada</Name>", "<Name>ken</Name>"], [(1, 1), (2, 2)])
        let kept = plan.assigned(onlyTo: [4], among: PlanFixture.users)
        #expect(kept.each("assignee") == [nil, 4])
        #expect(kept.assignees == [4])
        #expect(
            kept.notImported == [
                "assignments of 1 task to the user \"ada\", who is not a member of the project: "
                    + "pass --add-members to make them members"
            ])
        #expect(plan.assigned(onlyTo: [1, 4], among: PlanFixture.users).notImported == [])
    }
}
