// Made by `tidemark schema --format swift --all-projects` of schema 1848179cfa9868bb.
// swift-format-ignore-file
public import SyncClient

/// The project itself: at most one row in a drain.
public struct ProjectsRow: RowModel {
    public static let collection = "projects"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// The id of a row of `calendars`.
    public var calendar: String?
    public var description: String
    public let isArchived: Bool?
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var name: String
    public var program: String?
    /// YYYY-MM-DD.
    public var startDate: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case calendar
        case description
        case isArchived = "is_archived"
        case modifiedAt = "modified_at"
        case name
        case program
        case startDate = "start_date"
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.calendar = try row.decodeIfPresent(String.self, forKey: .calendar)
        self.description = try row.decodeIfPresent(String.self, forKey: .description) ?? ""
        self.isArchived = try row.decodeIfPresent(Bool.self, forKey: .isArchived)
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.name = try row.decodeIfPresent(String.self, forKey: .name) ?? ""
        self.program = try row.decodeIfPresent(String.self, forKey: .program)
        self.startDate = try row.decodeIfPresent(String.self, forKey: .startDate) ?? ""
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "projects"

        public var id: String?
        public var name: String
        /// YYYY-MM-DD.
        public var startDate: String
        /// The id of a row of `calendars`.
        public var calendar: String?
        public var description: String?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var program: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case name
            case startDate = "start_date"
            case calendar
            case description
            case modifiedAt = "modified_at"
            case program
        }

        public init(
            id: String? = nil,
            name: String,
            startDate: String,
            calendar: String? = nil,
            description: String? = nil,
            modifiedAt: String? = nil,
            program: String? = nil
        ) {
            self.id = id
            self.name = name
            self.startDate = startDate
            self.calendar = calendar
            self.description = description
            self.modifiedAt = modifiedAt
            self.program = program
        }
    }
}

/// A working calendar of the project. A project always has one.
public struct CalendarsRow: RowModel {
    public static let collection = "calendars"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// Days off.
    public var exceptions: [JSON]
    public var hoursPerDay: Double
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var name: String
    /// A time zone of the IANA database.
    public var timezone: String
    /// Bitmask, Mon=1 … Sun=64.
    public var workingDays: Int

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case exceptions
        case hoursPerDay = "hours_per_day"
        case modifiedAt = "modified_at"
        case name
        case timezone
        case workingDays = "working_days"
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.exceptions = try row.decodeIfPresent([JSON].self, forKey: .exceptions) ?? []
        self.hoursPerDay = try row.decodeIfPresent(Double.self, forKey: .hoursPerDay) ?? 8
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.name = try row.decodeIfPresent(String.self, forKey: .name) ?? ""
        self.timezone = try row.decodeIfPresent(String.self, forKey: .timezone) ?? "UTC"
        self.workingDays = try row.decodeIfPresent(Int.self, forKey: .workingDays) ?? 31
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "calendars"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        public var name: String
        /// Days off.
        public var exceptions: [JSON]?
        public var hoursPerDay: Double?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        /// A time zone of the IANA database.
        public var timezone: String?
        /// Bitmask, Mon=1 … Sun=64.
        public var workingDays: Int?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case name
            case exceptions
            case hoursPerDay = "hours_per_day"
            case modifiedAt = "modified_at"
            case timezone
            case workingDays = "working_days"
        }

        public init(
            id: String? = nil,
            projectID: String,
            name: String,
            exceptions: [JSON]? = nil,
            hoursPerDay: Double? = nil,
            modifiedAt: String? = nil,
            timezone: String? = nil,
            workingDays: Int? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.name = name
            self.exceptions = exceptions
            self.hoursPerDay = hoursPerDay
            self.modifiedAt = modifiedAt
            self.timezone = timezone
            self.workingDays = workingDays
        }
    }
}

/// Who belongs to the project, with which role.
public struct MembershipsRow: RowModel {
    public static let collection = "memberships"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    public let displayName: String?
    public let project: String?
    public let role: Role
    /// The id of a user.
    public let user: Int

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case displayName = "display_name"
        case project
        case role
        case user
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.displayName = try row.decodeIfPresent(String.self, forKey: .displayName)
        self.project = try row.decodeIfPresent(String.self, forKey: .project)
        self.role = try row.decodeIfPresent(Role.self, forKey: .role) ?? .init(rawValue: 0)
        self.user = try row.decodeIfPresent(Int.self, forKey: .user) ?? 0
    }

    /// Values of `role`.
    public enum Role: RowEnum {
        case value1
        case value100
        case value200
        case value300
        case value400
        case unknown(Int)

        public static let allCases: [Self] = [
            .value1,
            .value100,
            .value200,
            .value300,
            .value400,
        ]

        public var rawValue: Int {
            switch self {
            case .value1: 1
            case .value100: 100
            case .value200: 200
            case .value300: 300
            case .value400: 400
            case .unknown(let value): value
            }
        }
    }
}

/// A time box of the team.
public struct SprintsRow: RowModel {
    public static let collection = "sprints"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DD.
    public var finishDate: String
    public var goal: String
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var name: String
    public let shortID: String?
    /// YYYY-MM-DD.
    public var startDate: String
    public var state: State

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case finishDate = "finish_date"
        case goal
        case modifiedAt = "modified_at"
        case name
        case shortID = "short_id"
        case startDate = "start_date"
        case state
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.finishDate = try row.decodeIfPresent(String.self, forKey: .finishDate) ?? ""
        self.goal = try row.decodeIfPresent(String.self, forKey: .goal) ?? ""
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.name = try row.decodeIfPresent(String.self, forKey: .name) ?? ""
        self.shortID = try row.decodeIfPresent(String.self, forKey: .shortID)
        self.startDate = try row.decodeIfPresent(String.self, forKey: .startDate) ?? ""
        self.state = try row.decodeIfPresent(State.self, forKey: .state) ?? .init(rawValue: "PLANNED")
    }

    /// Values of `state`.
    public enum State: RowEnum {
        case planned
        case active
        case completed
        case cancelled
        case unknown(String)

        public static let allCases: [Self] = [
            .planned,
            .active,
            .completed,
            .cancelled,
        ]

        public var rawValue: String {
            switch self {
            case .planned: "PLANNED"
            case .active: "ACTIVE"
            case .completed: "COMPLETED"
            case .cancelled: "CANCELLED"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "sprints"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// YYYY-MM-DD.
        public var finishDate: String
        public var name: String
        /// YYYY-MM-DD.
        public var startDate: String
        public var goal: String?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var state: State?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case finishDate = "finish_date"
            case name
            case startDate = "start_date"
            case goal
            case modifiedAt = "modified_at"
            case state
        }

        public init(
            id: String? = nil,
            projectID: String,
            finishDate: String,
            name: String,
            startDate: String,
            goal: String? = nil,
            modifiedAt: String? = nil,
            state: State? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.finishDate = finishDate
            self.name = name
            self.startDate = startDate
            self.goal = goal
            self.modifiedAt = modifiedAt
            self.state = state
        }
    }
}

/// A piece of work.
public struct TasksRow: RowModel {
    public static let collection = "tasks"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DD.
    public var actualFinish: String?
    /// YYYY-MM-DD.
    public var actualStart: String?
    /// The id of a user.
    public var assignee: Int?
    /// Working days.
    public var duration: Int
    /// YYYY-MM-DD.
    public var earlyFinish: String?
    /// YYYY-MM-DD.
    public var earlyStart: String?
    public var freeFloat: Int?
    public var isCritical: Bool?
    public var isMilestone: Bool
    public var isSubtask: Bool
    /// YYYY-MM-DD.
    public var lateFinish: String?
    /// YYYY-MM-DD.
    public var lateStart: String?
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var mostLikelyDuration: Int?
    public var name: String
    public var notes: String
    public var optimisticDuration: Int?
    /// The id of a row of `tasks`.
    public var parent: String?
    public var percentComplete: Double
    public var pessimisticDuration: Int?
    /// YYYY-MM-DD.
    public var plannedStart: String?
    public let project: String?
    /// The place among the tasks with the same parent.
    public var rank: String?
    /// YYYY-MM-DD.
    public var scheduledStart: String?
    public let shortID: String?
    /// The id of a row of `sprints`.
    public var sprint: String?
    public var status: Status
    public var totalFloat: Int?
    public var wbsPath: String?

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case actualFinish = "actual_finish"
        case actualStart = "actual_start"
        case assignee
        case duration
        case earlyFinish = "early_finish"
        case earlyStart = "early_start"
        case freeFloat = "free_float"
        case isCritical = "is_critical"
        case isMilestone = "is_milestone"
        case isSubtask = "is_subtask"
        case lateFinish = "late_finish"
        case lateStart = "late_start"
        case modifiedAt = "modified_at"
        case mostLikelyDuration = "most_likely_duration"
        case name
        case notes
        case optimisticDuration = "optimistic_duration"
        case parent
        case percentComplete = "percent_complete"
        case pessimisticDuration = "pessimistic_duration"
        case plannedStart = "planned_start"
        case project
        case rank
        case scheduledStart = "scheduled_start"
        case shortID = "short_id"
        case sprint
        case status
        case totalFloat = "total_float"
        case wbsPath = "wbs_path"
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.actualFinish = try row.decodeIfPresent(String.self, forKey: .actualFinish)
        self.actualStart = try row.decodeIfPresent(String.self, forKey: .actualStart)
        self.assignee = try row.decodeIfPresent(Int.self, forKey: .assignee)
        self.duration = try row.decodeIfPresent(Int.self, forKey: .duration) ?? 1
        self.earlyFinish = try row.decodeIfPresent(String.self, forKey: .earlyFinish)
        self.earlyStart = try row.decodeIfPresent(String.self, forKey: .earlyStart)
        self.freeFloat = try row.decodeIfPresent(Int.self, forKey: .freeFloat)
        self.isCritical = try row.decodeIfPresent(Bool.self, forKey: .isCritical)
        self.isMilestone = try row.decodeIfPresent(Bool.self, forKey: .isMilestone) ?? false
        self.isSubtask = try row.decodeIfPresent(Bool.self, forKey: .isSubtask) ?? false
        self.lateFinish = try row.decodeIfPresent(String.self, forKey: .lateFinish)
        self.lateStart = try row.decodeIfPresent(String.self, forKey: .lateStart)
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.mostLikelyDuration = try row.decodeIfPresent(Int.self, forKey: .mostLikelyDuration)
        self.name = try row.decodeIfPresent(String.self, forKey: .name) ?? ""
        self.notes = try row.decodeIfPresent(String.self, forKey: .notes) ?? ""
        self.optimisticDuration = try row.decodeIfPresent(Int.self, forKey: .optimisticDuration)
        self.parent = try row.decodeIfPresent(String.self, forKey: .parent)
        self.percentComplete = try row.decodeIfPresent(Double.self, forKey: .percentComplete) ?? 0
        self.pessimisticDuration = try row.decodeIfPresent(Int.self, forKey: .pessimisticDuration)
        self.plannedStart = try row.decodeIfPresent(String.self, forKey: .plannedStart)
        self.project = try row.decodeIfPresent(String.self, forKey: .project)
        self.rank = try row.decodeIfPresent(String.self, forKey: .rank)
        self.scheduledStart = try row.decodeIfPresent(String.self, forKey: .scheduledStart)
        self.shortID = try row.decodeIfPresent(String.self, forKey: .shortID)
        self.sprint = try row.decodeIfPresent(String.self, forKey: .sprint)
        self.status = try row.decodeIfPresent(Status.self, forKey: .status) ?? .init(rawValue: "NOT_STARTED")
        self.totalFloat = try row.decodeIfPresent(Int.self, forKey: .totalFloat)
        self.wbsPath = try row.decodeIfPresent(String.self, forKey: .wbsPath)
    }

    /// Values of `status`.
    public enum Status: RowEnum {
        case backlog
        case notStarted
        case inProgress
        case review
        case onHold
        case complete
        case unknown(String)

        public static let allCases: [Self] = [
            .backlog,
            .notStarted,
            .inProgress,
            .review,
            .onHold,
            .complete,
        ]

        public var rawValue: String {
            switch self {
            case .backlog: "BACKLOG"
            case .notStarted: "NOT_STARTED"
            case .inProgress: "IN_PROGRESS"
            case .review: "REVIEW"
            case .onHold: "ON_HOLD"
            case .complete: "COMPLETE"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "tasks"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        public var name: String
        /// YYYY-MM-DD.
        public var actualFinish: String?
        /// YYYY-MM-DD.
        public var actualStart: String?
        /// The id of a user.
        public var assignee: Int?
        /// Working days.
        public var duration: Int?
        /// YYYY-MM-DD.
        public var earlyFinish: String?
        /// YYYY-MM-DD.
        public var earlyStart: String?
        public var freeFloat: Int?
        public var isCritical: Bool?
        public var isMilestone: Bool?
        public var isSubtask: Bool?
        /// YYYY-MM-DD.
        public var lateFinish: String?
        /// YYYY-MM-DD.
        public var lateStart: String?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var mostLikelyDuration: Int?
        public var notes: String?
        public var optimisticDuration: Int?
        /// The id of a row of `tasks`.
        public var parent: String?
        public var percentComplete: Double?
        public var pessimisticDuration: Int?
        /// YYYY-MM-DD.
        public var plannedStart: String?
        /// The place among the tasks with the same parent.
        public var rank: String?
        /// YYYY-MM-DD.
        public var scheduledStart: String?
        /// The id of a row of `sprints`.
        public var sprint: String?
        public var status: Status?
        public var totalFloat: Int?
        public var wbsPath: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case name
            case actualFinish = "actual_finish"
            case actualStart = "actual_start"
            case assignee
            case duration
            case earlyFinish = "early_finish"
            case earlyStart = "early_start"
            case freeFloat = "free_float"
            case isCritical = "is_critical"
            case isMilestone = "is_milestone"
            case isSubtask = "is_subtask"
            case lateFinish = "late_finish"
            case lateStart = "late_start"
            case modifiedAt = "modified_at"
            case mostLikelyDuration = "most_likely_duration"
            case notes
            case optimisticDuration = "optimistic_duration"
            case parent
            case percentComplete = "percent_complete"
            case pessimisticDuration = "pessimistic_duration"
            case plannedStart = "planned_start"
            case rank
            case scheduledStart = "scheduled_start"
            case sprint
            case status
            case totalFloat = "total_float"
            case wbsPath = "wbs_path"
        }

        public init(
            id: String? = nil,
            projectID: String,
            name: String,
            actualFinish: String? = nil,
            actualStart: String? = nil,
            assignee: Int? = nil,
            duration: Int? = nil,
            earlyFinish: String? = nil,
            earlyStart: String? = nil,
            freeFloat: Int? = nil,
            isCritical: Bool? = nil,
            isMilestone: Bool? = nil,
            isSubtask: Bool? = nil,
            lateFinish: String? = nil,
            lateStart: String? = nil,
            modifiedAt: String? = nil,
            mostLikelyDuration: Int? = nil,
            notes: String? = nil,
            optimisticDuration: Int? = nil,
            parent: String? = nil,
            percentComplete: Double? = nil,
            pessimisticDuration: Int? = nil,
            plannedStart: String? = nil,
            rank: String? = nil,
            scheduledStart: String? = nil,
            sprint: String? = nil,
            status: Status? = nil,
            totalFloat: Int? = nil,
            wbsPath: String? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.name = name
            self.actualFinish = actualFinish
            self.actualStart = actualStart
            self.assignee = assignee
            self.duration = duration
            self.earlyFinish = earlyFinish
            self.earlyStart = earlyStart
            self.freeFloat = freeFloat
            self.isCritical = isCritical
            self.isMilestone = isMilestone
            self.isSubtask = isSubtask
            self.lateFinish = lateFinish
            self.lateStart = lateStart
            self.modifiedAt = modifiedAt
            self.mostLikelyDuration = mostLikelyDuration
            self.notes = notes
            self.optimisticDuration = optimisticDuration
            self.parent = parent
            self.percentComplete = percentComplete
            self.pessimisticDuration = pessimisticDuration
            self.plannedStart = plannedStart
            self.rank = rank
            self.scheduledStart = scheduledStart
            self.sprint = sprint
            self.status = status
            self.totalFloat = totalFloat
            self.wbsPath = wbsPath
        }
    }
}

/// A link between two tasks.
public struct DependenciesRow: RowModel {
    public static let collection = "dependencies"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    public var depType: DepType
    /// Working days.
    public var lag: Int
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    /// The id of a row of `tasks`.
    public var predecessor: String
    /// The id of a row of `tasks`.
    public var successor: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case depType = "dep_type"
        case lag
        case modifiedAt = "modified_at"
        case predecessor
        case successor
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.depType = try row.decodeIfPresent(DepType.self, forKey: .depType) ?? .init(rawValue: "FS")
        self.lag = try row.decodeIfPresent(Int.self, forKey: .lag) ?? 0
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.predecessor = try row.decodeIfPresent(String.self, forKey: .predecessor) ?? ""
        self.successor = try row.decodeIfPresent(String.self, forKey: .successor) ?? ""
    }

    /// Values of `dep_type`.
    public enum DepType: RowEnum {
        case fs
        case ss
        case ff
        case sf
        case unknown(String)

        public static let allCases: [Self] = [
            .fs,
            .ss,
            .ff,
            .sf,
        ]

        public var rawValue: String {
            switch self {
            case .fs: "FS"
            case .ss: "SS"
            case .ff: "FF"
            case .sf: "SF"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "dependencies"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a row of `tasks`.
        public var predecessor: String
        /// The id of a row of `tasks`.
        public var successor: String
        public var depType: DepType?
        /// Working days.
        public var lag: Int?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case predecessor
            case successor
            case depType = "dep_type"
            case lag
            case modifiedAt = "modified_at"
        }

        public init(
            id: String? = nil,
            projectID: String,
            predecessor: String,
            successor: String,
            depType: DepType? = nil,
            lag: Int? = nil,
            modifiedAt: String? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.predecessor = predecessor
            self.successor = successor
            self.depType = depType
            self.lag = lag
            self.modifiedAt = modifiedAt
        }
    }
}

/// Something that may go wrong.
public struct RisksRow: RowModel {
    public static let collection = "risks"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    public var description: String
    public var impact: Int
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    /// The id of a user.
    public var owner: Int?
    public var probability: Int
    public let project: String?
    public let shortID: String?
    public var status: Status
    /// Ids of rows of `tasks`.
    public var taskIDs: [String]
    public var title: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case description
        case impact
        case modifiedAt = "modified_at"
        case owner
        case probability
        case project
        case shortID = "short_id"
        case status
        case taskIDs = "task_ids"
        case title
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.description = try row.decodeIfPresent(String.self, forKey: .description) ?? ""
        self.impact = try row.decodeIfPresent(Int.self, forKey: .impact) ?? 0
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.owner = try row.decodeIfPresent(Int.self, forKey: .owner)
        self.probability = try row.decodeIfPresent(Int.self, forKey: .probability) ?? 0
        self.project = try row.decodeIfPresent(String.self, forKey: .project)
        self.shortID = try row.decodeIfPresent(String.self, forKey: .shortID)
        self.status = try row.decodeIfPresent(Status.self, forKey: .status) ?? .init(rawValue: "OPEN")
        self.taskIDs = try row.decodeIfPresent([String].self, forKey: .taskIDs) ?? []
        self.title = try row.decodeIfPresent(String.self, forKey: .title) ?? ""
    }

    /// Values of `status`.
    public enum Status: RowEnum {
        case open
        case mitigating
        case resolved
        case accepted
        case closed
        case unknown(String)

        public static let allCases: [Self] = [
            .open,
            .mitigating,
            .resolved,
            .accepted,
            .closed,
        ]

        public var rawValue: String {
            switch self {
            case .open: "OPEN"
            case .mitigating: "MITIGATING"
            case .resolved: "RESOLVED"
            case .accepted: "ACCEPTED"
            case .closed: "CLOSED"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "risks"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        public var impact: Int
        public var probability: Int
        public var title: String
        public var description: String?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        /// The id of a user.
        public var owner: Int?
        public var status: Status?
        /// Ids of rows of `tasks`.
        public var taskIDs: [String]?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case impact
            case probability
            case title
            case description
            case modifiedAt = "modified_at"
            case owner
            case status
            case taskIDs = "task_ids"
        }

        public init(
            id: String? = nil,
            projectID: String,
            impact: Int,
            probability: Int,
            title: String,
            description: String? = nil,
            modifiedAt: String? = nil,
            owner: Int? = nil,
            status: Status? = nil,
            taskIDs: [String]? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.impact = impact
            self.probability = probability
            self.title = title
            self.description = description
            self.modifiedAt = modifiedAt
            self.owner = owner
            self.status = status
            self.taskIDs = taskIDs
        }
    }
}

/// The look back on a sprint.
public struct SprintRetrosRow: RowModel {
    public static let collection = "sprint_retros"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let createdAt: String?
    public let createdBy: Int?
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var notes: String
    /// The id of a row of `sprints`.
    public var sprint: String
    public var teamVisibility: TeamVisibility
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let updatedAt: String?

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case createdAt = "created_at"
        case createdBy = "created_by"
        case modifiedAt = "modified_at"
        case notes
        case sprint
        case teamVisibility = "team_visibility"
        case updatedAt = "updated_at"
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.createdAt = try row.decodeIfPresent(String.self, forKey: .createdAt)
        self.createdBy = try row.decodeIfPresent(Int.self, forKey: .createdBy)
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.notes = try row.decodeIfPresent(String.self, forKey: .notes) ?? ""
        self.sprint = try row.decodeIfPresent(String.self, forKey: .sprint) ?? ""
        self.teamVisibility =
            try row.decodeIfPresent(TeamVisibility.self, forKey: .teamVisibility) ?? .init(rawValue: "team_only")
        self.updatedAt = try row.decodeIfPresent(String.self, forKey: .updatedAt)
    }

    /// Values of `team_visibility`.
    public enum TeamVisibility: RowEnum {
        case teamOnly
        case project
        case org
        case unknown(String)

        public static let allCases: [Self] = [
            .teamOnly,
            .project,
            .org,
        ]

        public var rawValue: String {
            switch self {
            case .teamOnly: "team_only"
            case .project: "project"
            case .org: "org"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "sprint_retros"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a row of `sprints`.
        public var sprint: String
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var notes: String?
        public var teamVisibility: TeamVisibility?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case sprint
            case modifiedAt = "modified_at"
            case notes
            case teamVisibility = "team_visibility"
        }

        public init(
            id: String? = nil,
            projectID: String,
            sprint: String,
            modifiedAt: String? = nil,
            notes: String? = nil,
            teamVisibility: TeamVisibility? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.sprint = sprint
            self.modifiedAt = modifiedAt
            self.notes = notes
            self.teamVisibility = teamVisibility
        }
    }
}

/// What the team wants to do better.
public struct RetroActionItemsRow: RowModel {
    public static let collection = "retro_action_items"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// The id of a user.
    public var assignee: Int?
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let createdAt: String?
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    /// The id of a row of `tasks`.
    public var promotedTaskID: String?
    /// The id of a row of `sprint_retros`.
    public var retro: String
    public var storyPoints: Int?
    public var text: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case assignee
        case createdAt = "created_at"
        case modifiedAt = "modified_at"
        case promotedTaskID = "promoted_task_id"
        case retro
        case storyPoints = "story_points"
        case text
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.assignee = try row.decodeIfPresent(Int.self, forKey: .assignee)
        self.createdAt = try row.decodeIfPresent(String.self, forKey: .createdAt)
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.promotedTaskID = try row.decodeIfPresent(String.self, forKey: .promotedTaskID)
        self.retro = try row.decodeIfPresent(String.self, forKey: .retro) ?? ""
        self.storyPoints = try row.decodeIfPresent(Int.self, forKey: .storyPoints)
        self.text = try row.decodeIfPresent(String.self, forKey: .text) ?? ""
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "retro_action_items"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a row of `sprint_retros`.
        public var retro: String
        public var text: String
        /// The id of a user.
        public var assignee: Int?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        /// The id of a row of `tasks`.
        public var promotedTaskID: String?
        public var storyPoints: Int?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case retro
            case text
            case assignee
            case modifiedAt = "modified_at"
            case promotedTaskID = "promoted_task_id"
            case storyPoints = "story_points"
        }

        public init(
            id: String? = nil,
            projectID: String,
            retro: String,
            text: String,
            assignee: Int? = nil,
            modifiedAt: String? = nil,
            promotedTaskID: String? = nil,
            storyPoints: Int? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.retro = retro
            self.text = text
            self.assignee = assignee
            self.modifiedAt = modifiedAt
            self.promotedTaskID = promotedTaskID
            self.storyPoints = storyPoints
        }
    }
}

/// A proposal who could do a task.
public struct TaskSuggestedAssigneesRow: RowModel {
    public static let collection = "task_suggested_assignees"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let acceptedAt: String?
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let createdAt: String?
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let declinedAt: String?
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var reason: String
    public var source: Source
    public var state: State
    public let suggestedBy: Int?
    /// The id of a user.
    public var suggestedUser: Int
    /// The id of a row of `tasks`.
    public var task: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case acceptedAt = "accepted_at"
        case createdAt = "created_at"
        case declinedAt = "declined_at"
        case modifiedAt = "modified_at"
        case reason
        case source
        case state
        case suggestedBy = "suggested_by"
        case suggestedUser = "suggested_user"
        case task
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.acceptedAt = try row.decodeIfPresent(String.self, forKey: .acceptedAt)
        self.createdAt = try row.decodeIfPresent(String.self, forKey: .createdAt)
        self.declinedAt = try row.decodeIfPresent(String.self, forKey: .declinedAt)
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.reason = try row.decodeIfPresent(String.self, forKey: .reason) ?? ""
        self.source = try row.decodeIfPresent(Source.self, forKey: .source) ?? .init(rawValue: "retrospective")
        self.state = try row.decodeIfPresent(State.self, forKey: .state) ?? .init(rawValue: "pending")
        self.suggestedBy = try row.decodeIfPresent(Int.self, forKey: .suggestedBy)
        self.suggestedUser = try row.decodeIfPresent(Int.self, forKey: .suggestedUser) ?? 0
        self.task = try row.decodeIfPresent(String.self, forKey: .task) ?? ""
    }

    /// Values of `source`.
    public enum Source: RowEnum {
        case retrospective
        case other
        case unknown(String)

        public static let allCases: [Self] = [
            .retrospective,
            .other,
        ]

        public var rawValue: String {
            switch self {
            case .retrospective: "retrospective"
            case .other: "other"
            case .unknown(let value): value
            }
        }
    }

    /// Values of `state`.
    public enum State: RowEnum {
        case pending
        case accepted
        case declined
        case revoked
        case unknown(String)

        public static let allCases: [Self] = [
            .pending,
            .accepted,
            .declined,
            .revoked,
        ]

        public var rawValue: String {
            switch self {
            case .pending: "pending"
            case .accepted: "accepted"
            case .declined: "declined"
            case .revoked: "revoked"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "task_suggested_assignees"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a user.
        public var suggestedUser: Int
        /// The id of a row of `tasks`.
        public var task: String
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var reason: String?
        public var source: Source?
        public var state: State?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case suggestedUser = "suggested_user"
            case task
            case modifiedAt = "modified_at"
            case reason
            case source
            case state
        }

        public init(
            id: String? = nil,
            projectID: String,
            suggestedUser: Int,
            task: String,
            modifiedAt: String? = nil,
            reason: String? = nil,
            source: Source? = nil,
            state: State? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.suggestedUser = suggestedUser
            self.task = task
            self.modifiedAt = modifiedAt
            self.reason = reason
            self.source = source
            self.state = state
        }
    }
}

/// A link from a task to a page elsewhere.
public struct TaskLinksRow: RowModel {
    public static let collection = "task_links"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    public var customTitle: String
    public var description: String
    public var displayOrder: Int
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var fetchedAt: String?
    public var labels: [String]
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var previewType: PreviewType
    public let provider: String?
    public var status: Status
    /// The id of a row of `tasks`.
    public var task: String
    public var thumbnailURL: String
    public var title: String
    public var url: String

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case customTitle = "custom_title"
        case description
        case displayOrder = "display_order"
        case fetchedAt = "fetched_at"
        case labels
        case modifiedAt = "modified_at"
        case previewType = "preview_type"
        case provider
        case status
        case task
        case thumbnailURL = "thumbnail_url"
        case title
        case url
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.customTitle = try row.decodeIfPresent(String.self, forKey: .customTitle) ?? ""
        self.description = try row.decodeIfPresent(String.self, forKey: .description) ?? ""
        self.displayOrder = try row.decodeIfPresent(Int.self, forKey: .displayOrder) ?? 0
        self.fetchedAt = try row.decodeIfPresent(String.self, forKey: .fetchedAt)
        self.labels = try row.decodeIfPresent([String].self, forKey: .labels) ?? []
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.previewType = try row.decodeIfPresent(PreviewType.self, forKey: .previewType) ?? .init(rawValue: "")
        self.provider = try row.decodeIfPresent(String.self, forKey: .provider)
        self.status = try row.decodeIfPresent(Status.self, forKey: .status) ?? .init(rawValue: "unknown")
        self.task = try row.decodeIfPresent(String.self, forKey: .task) ?? ""
        self.thumbnailURL = try row.decodeIfPresent(String.self, forKey: .thumbnailURL) ?? ""
        self.title = try row.decodeIfPresent(String.self, forKey: .title) ?? ""
        self.url = try row.decodeIfPresent(String.self, forKey: .url) ?? ""
    }

    /// Values of `preview_type`.
    public enum PreviewType: RowEnum {
        case empty
        case document
        case spreadsheet
        case presentation
        case image
        case pdf
        case folder
        case file
        case unknown(String)

        public static let allCases: [Self] = [
            .empty,
            .document,
            .spreadsheet,
            .presentation,
            .image,
            .pdf,
            .folder,
            .file,
        ]

        public var rawValue: String {
            switch self {
            case .empty: ""
            case .document: "document"
            case .spreadsheet: "spreadsheet"
            case .presentation: "presentation"
            case .image: "image"
            case .pdf: "pdf"
            case .folder: "folder"
            case .file: "file"
            case .unknown(let value): value
            }
        }
    }

    /// Values of `status`.
    public enum Status: RowEnum {
        case open
        case draft
        case merged
        case closed
        case unknown_
        case unknown(String)

        public static let allCases: [Self] = [
            .open,
            .draft,
            .merged,
            .closed,
            .unknown_,
        ]

        public var rawValue: String {
            switch self {
            case .open: "open"
            case .draft: "draft"
            case .merged: "merged"
            case .closed: "closed"
            case .unknown_: "unknown"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "task_links"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a row of `tasks`.
        public var task: String
        public var url: String
        public var customTitle: String?
        public var description: String?
        public var displayOrder: Int?
        /// YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var fetchedAt: String?
        public var labels: [String]?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var previewType: PreviewType?
        public var status: Status?
        public var thumbnailURL: String?
        public var title: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case task
            case url
            case customTitle = "custom_title"
            case description
            case displayOrder = "display_order"
            case fetchedAt = "fetched_at"
            case labels
            case modifiedAt = "modified_at"
            case previewType = "preview_type"
            case status
            case thumbnailURL = "thumbnail_url"
            case title
        }

        public init(
            id: String? = nil,
            projectID: String,
            task: String,
            url: String,
            customTitle: String? = nil,
            description: String? = nil,
            displayOrder: Int? = nil,
            fetchedAt: String? = nil,
            labels: [String]? = nil,
            modifiedAt: String? = nil,
            previewType: PreviewType? = nil,
            status: Status? = nil,
            thumbnailURL: String? = nil,
            title: String? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.task = task
            self.url = url
            self.customTitle = customTitle
            self.description = description
            self.displayOrder = displayOrder
            self.fetchedAt = fetchedAt
            self.labels = labels
            self.modifiedAt = modifiedAt
            self.previewType = previewType
            self.status = status
            self.thumbnailURL = thumbnailURL
            self.title = title
        }
    }
}

/// How a task repeats.
public struct TaskRecurrenceRulesRow: RowModel {
    public static let collection = "task_recurrence_rules"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    public var dayOfMonth: Int?
    public var endCount: Int?
    /// YYYY-MM-DD.
    public var endDate: String?
    public var endType: EndType
    public var frequency: Frequency
    public var inheritAssignee: Bool
    public var inheritAttachments: Bool
    public var inheritMorningNotification: Bool
    public var inheritSubtasks: Bool
    public var interval: Int
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    /// The id of a row of `tasks`.
    public var task: String
    /// HH:MM:SS.
    public var timeOfDay: String
    /// A time zone of the IANA database.
    public var timezone: String
    /// Bitmask, Mon=1 … Sun=64.
    public var weekdays: Int

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case dayOfMonth = "day_of_month"
        case endCount = "end_count"
        case endDate = "end_date"
        case endType = "end_type"
        case frequency
        case inheritAssignee = "inherit_assignee"
        case inheritAttachments = "inherit_attachments"
        case inheritMorningNotification = "inherit_morning_notification"
        case inheritSubtasks = "inherit_subtasks"
        case interval
        case modifiedAt = "modified_at"
        case task
        case timeOfDay = "time_of_day"
        case timezone
        case weekdays
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.dayOfMonth = try row.decodeIfPresent(Int.self, forKey: .dayOfMonth)
        self.endCount = try row.decodeIfPresent(Int.self, forKey: .endCount)
        self.endDate = try row.decodeIfPresent(String.self, forKey: .endDate)
        self.endType = try row.decodeIfPresent(EndType.self, forKey: .endType) ?? .init(rawValue: "NEVER")
        self.frequency = try row.decodeIfPresent(Frequency.self, forKey: .frequency) ?? .init(rawValue: "WEEKLY")
        self.inheritAssignee = try row.decodeIfPresent(Bool.self, forKey: .inheritAssignee) ?? true
        self.inheritAttachments = try row.decodeIfPresent(Bool.self, forKey: .inheritAttachments) ?? false
        self.inheritMorningNotification =
            try row.decodeIfPresent(Bool.self, forKey: .inheritMorningNotification) ?? false
        self.inheritSubtasks = try row.decodeIfPresent(Bool.self, forKey: .inheritSubtasks) ?? false
        self.interval = try row.decodeIfPresent(Int.self, forKey: .interval) ?? 1
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.task = try row.decodeIfPresent(String.self, forKey: .task) ?? ""
        self.timeOfDay = try row.decodeIfPresent(String.self, forKey: .timeOfDay) ?? "09:00:00"
        self.timezone = try row.decodeIfPresent(String.self, forKey: .timezone) ?? "UTC"
        self.weekdays = try row.decodeIfPresent(Int.self, forKey: .weekdays) ?? 0
    }

    /// Values of `end_type`.
    public enum EndType: RowEnum {
        case never
        case onDate
        case afterN
        case unknown(String)

        public static let allCases: [Self] = [
            .never,
            .onDate,
            .afterN,
        ]

        public var rawValue: String {
            switch self {
            case .never: "NEVER"
            case .onDate: "ON_DATE"
            case .afterN: "AFTER_N"
            case .unknown(let value): value
            }
        }
    }

    /// Values of `frequency`.
    public enum Frequency: RowEnum {
        case daily
        case weekly
        case monthly
        case custom
        case unknown(String)

        public static let allCases: [Self] = [
            .daily,
            .weekly,
            .monthly,
            .custom,
        ]

        public var rawValue: String {
            switch self {
            case .daily: "DAILY"
            case .weekly: "WEEKLY"
            case .monthly: "MONTHLY"
            case .custom: "CUSTOM"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "task_recurrence_rules"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// The id of a row of `tasks`.
        public var task: String
        public var dayOfMonth: Int?
        public var endCount: Int?
        /// YYYY-MM-DD.
        public var endDate: String?
        public var endType: EndType?
        public var frequency: Frequency?
        public var inheritAssignee: Bool?
        public var inheritAttachments: Bool?
        public var inheritMorningNotification: Bool?
        public var inheritSubtasks: Bool?
        public var interval: Int?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        /// HH:MM:SS.
        public var timeOfDay: String?
        /// A time zone of the IANA database.
        public var timezone: String?
        /// Bitmask, Mon=1 … Sun=64.
        public var weekdays: Int?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case task
            case dayOfMonth = "day_of_month"
            case endCount = "end_count"
            case endDate = "end_date"
            case endType = "end_type"
            case frequency
            case inheritAssignee = "inherit_assignee"
            case inheritAttachments = "inherit_attachments"
            case inheritMorningNotification = "inherit_morning_notification"
            case inheritSubtasks = "inherit_subtasks"
            case interval
            case modifiedAt = "modified_at"
            case timeOfDay = "time_of_day"
            case timezone
            case weekdays
        }

        public init(
            id: String? = nil,
            projectID: String,
            task: String,
            dayOfMonth: Int? = nil,
            endCount: Int? = nil,
            endDate: String? = nil,
            endType: EndType? = nil,
            frequency: Frequency? = nil,
            inheritAssignee: Bool? = nil,
            inheritAttachments: Bool? = nil,
            inheritMorningNotification: Bool? = nil,
            inheritSubtasks: Bool? = nil,
            interval: Int? = nil,
            modifiedAt: String? = nil,
            timeOfDay: String? = nil,
            timezone: String? = nil,
            weekdays: Int? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.task = task
            self.dayOfMonth = dayOfMonth
            self.endCount = endCount
            self.endDate = endDate
            self.endType = endType
            self.frequency = frequency
            self.inheritAssignee = inheritAssignee
            self.inheritAttachments = inheritAttachments
            self.inheritMorningNotification = inheritMorningNotification
            self.inheritSubtasks = inheritSubtasks
            self.interval = interval
            self.modifiedAt = modifiedAt
            self.timeOfDay = timeOfDay
            self.timezone = timezone
            self.weekdays = weekdays
        }
    }
}

/// Time that the caller spent on a task. Nobody else ever sees it.
public struct TimeEntriesRow: RowModel {
    public static let collection = "time_entries"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let createdAt: String?
    /// YYYY-MM-DD.
    public var entryDate: String
    public var minutes: Int
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var note: String
    public var source: Source
    /// The id of a row of `tasks`.
    public var task: String
    public let user: Int?

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case createdAt = "created_at"
        case entryDate = "entry_date"
        case minutes
        case modifiedAt = "modified_at"
        case note
        case source
        case task
        case user
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.createdAt = try row.decodeIfPresent(String.self, forKey: .createdAt)
        self.entryDate = try row.decodeIfPresent(String.self, forKey: .entryDate) ?? ""
        self.minutes = try row.decodeIfPresent(Int.self, forKey: .minutes) ?? 0
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.note = try row.decodeIfPresent(String.self, forKey: .note) ?? ""
        self.source = try row.decodeIfPresent(Source.self, forKey: .source) ?? .init(rawValue: "manual")
        self.task = try row.decodeIfPresent(String.self, forKey: .task) ?? ""
        self.user = try row.decodeIfPresent(Int.self, forKey: .user)
    }

    /// Values of `source`.
    public enum Source: RowEnum {
        case manual
        case timer
        case unknown(String)

        public static let allCases: [Self] = [
            .manual,
            .timer,
        ]

        public var rawValue: String {
            switch self {
            case .manual: "manual"
            case .timer: "timer"
            case .unknown(let value): value
            }
        }
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "time_entries"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        /// YYYY-MM-DD.
        public var entryDate: String
        public var minutes: Int
        /// The id of a row of `tasks`.
        public var task: String
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        public var note: String?
        public var source: Source?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case entryDate = "entry_date"
            case minutes
            case task
            case modifiedAt = "modified_at"
            case note
            case source
        }

        public init(
            id: String? = nil,
            projectID: String,
            entryDate: String,
            minutes: Int,
            task: String,
            modifiedAt: String? = nil,
            note: String? = nil,
            source: Source? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.entryDate = entryDate
            self.minutes = minutes
            self.task = task
            self.modifiedAt = modifiedAt
            self.note = note
            self.source = source
        }
    }
}

/// A photo, a recording or a document of a task, of a risk or of the project.
public struct AttachmentsRow: RowModel {
    public static let collection = "attachments"

    public let id: String
    /// The number of edits of this row; 0 before the server has it. It is not a watermark.
    public let serverVersion: Int
    /// The row's project, which never changes.
    public let projectID: String
    /// YYYY-MM-DDTHH:MM:SS.mmmZ.
    public let createdAt: String?
    public let createdBy: Int?
    /// The SHA-256 of the file: 64 hex digits.
    public var file: String?
    /// What the client says the file is. Don't open a file by it.
    public var mediaType: String
    /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
    public var modifiedAt: String?
    public var name: String
    /// A small picture, at most 4 KiB. Base64.
    public var preview: String?
    public let project: String?
    /// The id of a row of `risks`.
    public var risk: String?
    /// The size in bytes: what the client says, and the true one once the file is stored.
    public var size: Int?
    /// pending, or stored once the server has the file. There may be more words in later versions.
    public let state: String?
    /// The id of a row of `tasks`.
    public var task: String?

    private enum CodingKeys: String, CodingKey {
        case id
        case serverVersion = "server_version"
        case projectID = "project_id"
        case createdAt = "created_at"
        case createdBy = "created_by"
        case file
        case mediaType = "media_type"
        case modifiedAt = "modified_at"
        case name
        case preview
        case project
        case risk
        case size
        case state
        case task
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try row.decode(String.self, forKey: .id)
        self.serverVersion = try row.decodeIfPresent(Int.self, forKey: .serverVersion) ?? 0
        self.projectID = try row.decode(String.self, forKey: .projectID)
        self.createdAt = try row.decodeIfPresent(String.self, forKey: .createdAt)
        self.createdBy = try row.decodeIfPresent(Int.self, forKey: .createdBy)
        self.file = try row.decodeIfPresent(String.self, forKey: .file)
        self.mediaType = try row.decodeIfPresent(String.self, forKey: .mediaType) ?? "application/octet-stream"
        self.modifiedAt = try row.decodeIfPresent(String.self, forKey: .modifiedAt)
        self.name = try row.decodeIfPresent(String.self, forKey: .name) ?? ""
        self.preview = try row.decodeIfPresent(String.self, forKey: .preview)
        self.project = try row.decodeIfPresent(String.self, forKey: .project)
        self.risk = try row.decodeIfPresent(String.self, forKey: .risk)
        self.size = try row.decodeIfPresent(Int.self, forKey: .size)
        self.state = try row.decodeIfPresent(String.self, forKey: .state)
        self.task = try row.decodeIfPresent(String.self, forKey: .task)
    }

    /// A new row. A field that is nil gets the schema's default.
    public struct New: NewRowModel {
        public static let collection = "attachments"

        public var id: String?
        /// The row's project, which never changes.
        public var projectID: String
        public var name: String
        /// The SHA-256 of the file: 64 hex digits.
        public var file: String?
        /// What the client says the file is. Don't open a file by it.
        public var mediaType: String?
        /// The client's edit time, for on_conflict=newest. YYYY-MM-DDTHH:MM:SS.mmmZ.
        public var modifiedAt: String?
        /// A small picture, at most 4 KiB. Base64.
        public var preview: String?
        /// The id of a row of `risks`.
        public var risk: String?
        /// The size in bytes: what the client says, and the true one once the file is stored.
        public var size: Int?
        /// The id of a row of `tasks`.
        public var task: String?

        private enum CodingKeys: String, CodingKey {
            case id
            case projectID = "project_id"
            case name
            case file
            case mediaType = "media_type"
            case modifiedAt = "modified_at"
            case preview
            case risk
            case size
            case task
        }

        public init(
            id: String? = nil,
            projectID: String,
            name: String,
            file: String? = nil,
            mediaType: String? = nil,
            modifiedAt: String? = nil,
            preview: String? = nil,
            risk: String? = nil,
            size: Int? = nil,
            task: String? = nil
        ) {
            self.id = id
            self.projectID = projectID
            self.name = name
            self.file = file
            self.mediaType = mediaType
            self.modifiedAt = modifiedAt
            self.preview = preview
            self.risk = risk
            self.size = size
            self.task = task
        }
    }
}
