/// The kinds of record in a plan, and the fields of each that need no mention when they are not imported.
enum RecordKind: String {
    case project, calendar, task, resource, assignment

    /// The fields that are not listed as omitted. These are the fields that are read (into rows, or into lines with
    /// their own wording), bookkeeping of the writing tool, display settings, and values that follow from others.
    var unlisted: Set<String> {
        switch self {
        case .project: RecordKind.projectUnlisted
        case .calendar: RecordKind.calendarUnlisted
        case .task: RecordKind.taskUnlisted
        case .resource: RecordKind.resourceUnlisted
        case .assignment: RecordKind.assignmentUnlisted
        }
    }

    /// Values that Project writes for fields that nobody filled in, besides empty ones.
    static let defaults: [String: Double] = ["Priority": 500, "Units": 1, "MaxUnits": 1, "CalendarUID": -1]

    /// The fields that say when a task may start at the earliest.
    static let startConstraint: Set = ["ConstraintType", "ConstraintDate"]

    private static let projectUnlisted = projectRead.union(projectBookkeeping)
    private static let calendarUnlisted = calendarRead.union(["GUID", "IsBaselineCalendar"])
    private static let taskUnlisted = taskRead.union(taskBookkeeping)
    private static let resourceUnlisted = resourceBookkeeping.union(["UID", "Name", "EmailAddress", "NTAccount"])
    private static let assignmentUnlisted = assignmentBookkeeping.union(["TaskUID", "ResourceUID"])

    private static let projectRead: Set = [
        "Name", "Title", "StartDate", "CalendarUID", "MinutesPerDay", "MinutesPerWeek", "DaysPerMonth", "WeekStartDay",
    ]
    private static let calendarRead: Set = [
        "UID", "Name", "IsBaseCalendar", "BaseCalendarUID", "WeekDays", "Exceptions",
    ]
    private static let taskRead: Set = [
        "UID", "Name", "IsNull", "OutlineLevel", "OutlineNumber", "WBS", "Start", "Finish", "Duration",
        "DurationFormat", "PercentComplete", "Milestone", "Active", "Critical", "EarlyStart", "EarlyFinish",
        "LateStart", "LateFinish", "ActualStart", "ActualFinish", "TotalSlack", "FreeSlack", "Notes", "Recurring",
        "PredecessorLink", "ExtendedAttribute", "Hyperlink", "HyperlinkAddress",
    ]
    private static let projectBookkeeping: Set = [
        "SaveVersion", "BuildNumber", "UID", "GUID", "CreationDate", "LastSaved", "Revision", "FinishDate",
        "CurrentDate", "ScheduleFromStart", "FYStartDate", "CriticalSlackLimit", "CurrencyDigits", "CurrencySymbol",
        "CurrencyCode", "CurrencySymbolPosition", "DefaultStartTime", "DefaultFinishTime", "DefaultTaskType",
        "DefaultFixedCostAccrual", "DefaultStandardRate", "DefaultOvertimeRate", "DurationFormat", "WorkFormat",
        "EditableActualCosts", "HonorConstraints", "EarnedValueMethod", "InsertedProjectsLikeSummary",
        "MultipleCriticalPaths", "NewTasksEffortDriven", "NewTasksEstimated", "NewTasksAreManual",
        "SplitsInProgressTasks", "SpreadActualCost", "SpreadPercentComplete", "TaskUpdatesResource", "FiscalYearStart",
        "MoveCompletedEndsBack", "MoveCompletedEndsForward", "MoveRemainingStartsBack", "MoveRemainingStartsForward",
        "BaselineForEarnedValue", "AutoAddNewResourcesAndTasks", "MicrosoftProjectServerURL", "Autolink",
        "NewTaskStartDate", "DefaultTaskEVMethod", "ProjectExternallyEdited", "ExtendedCreationDate",
        "ActualsInSync", "RemoveFileProperties", "AdminProject", "UpdateManuallyScheduledTasksWhenEditingLinks",
        "KeepTaskOnNearestWorkingTimeWhenMadeAutoScheduled", "CalculateActualCosts",
    ]
    private static let taskBookkeeping: Set = [
        "ID", "GUID", "CreateDate", "Type", "IsPublished", "Summary", "Rollup", "EffortDriven", "Estimated", "Manual",
        "ManualStart", "ManualFinish", "ManualDuration", "WBSLevel", "FixedCostAccrual", "ResumeValid",
        "DisplayAsSummary", "DisplayOnTimeline", "HideBar", "OverAllocated", "LevelAssignments", "LevelingCanSplit",
        "LevelingDelayFormat", "IgnoreResourceCalendar", "EarnedValueMethod", "CommitmentType", "StartVariance",
        "FinishVariance", "DurationVariance", "WorkVariance", "RemainingDuration", "ActualDuration", "RegularWork",
        "RemainingWork", "PercentWorkComplete", "StartSlack", "FinishSlack", "PreLeveledStart", "PreLeveledFinish",
        "IsSubprojectReadOnly", "StatusManager", "FreeformDurationFormat",
    ]
    private static let resourceBookkeeping: Set = [
        "ID", "GUID", "IsNull", "Type", "Initials", "AccrueAt", "StandardRateFormat", "OvertimeRateFormat", "CanLevel",
        "CreationDate", "WorkGroup", "BookingType", "PeakUnits", "OverAllocated", "IsEnterprise", "CalendarUID",
        "IsGeneric", "IsInactive", "IsCostResource", "IsBudget", "Start", "Finish", "WorkVariance", "RegularWork",
        "RemainingWork", "PercentWorkComplete", "ActiveDirectoryGUID", "UserLicense", "AvailableFrom", "AvailableTo",
    ]
    private static let assignmentBookkeeping: Set = [
        "UID", "GUID", "Start", "Finish", "StartVariance", "FinishVariance", "WorkVariance", "RegularWork",
        "RemainingWork", "PercentWorkComplete", "BookingType", "CreationDate", "HasFixedRateUnits", "FixedMaterial",
        "LevelingDelayFormat", "Milestone", "Summary", "OverAllocated", "ResponsePending", "UpdateNeeded",
        "LinkedFields", "Resume", "Stop", "AssnOwner", "AssnOwnerGuid", "RateScale",
    ]
}
