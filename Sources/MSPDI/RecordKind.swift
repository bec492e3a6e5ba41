/// The kinds of record in a plan, and what an import does with the elements of each.
///
/// Whatever is not in the table is listed as soon as it holds anything: an element of a version or a tool that nobody
/// knew here may change what a plan means.
enum RecordKind: String {
    case project, calendar, task, resource, assignment, link, weekday
    /// The task that stands for the whole project.
    case summary = "project summary"
    case exception = "calendar exception"
    case customField = "custom field definition"
    case customValue = "custom field value"

    /// The elements that are known.
    var elements: [String: ElementUse] { RecordKind.tables[self] ?? [:] }

    /// Values that Project writes for a `content` element that nobody filled in, besides empty ones.
    static let defaults: [String: Double] = ["Units": 1, "MaxUnits": 1]

    /// The fields that say when a task may start at the earliest.
    static let startConstraint: Set = ["ConstraintType", "ConstraintDate"]

    private static let tables: [RecordKind: [String: ElementUse]] = [
        .project: table(projectGroups), .calendar: table(calendarGroups), .task: table(taskGroups),
        .resource: table(resourceGroups),
        .assignment: table(assignmentGroups), .link: table(linkGroups), .weekday: table(weekdayGroups),
        .exception: table(exceptionGroups),
        .customField: table(customFieldGroups), .customValue: table(customValueGroups),
        .summary: table(taskGroups).merging(table(summaryGroups)) { _, own in own },
    ]

    /// Elements by what is done with them; the names are separated by white space.
    private typealias Groups = [(use: ElementUse, names: String)]

    private static func table(_ groups: Groups) -> [String: ElementUse] {
        groups.reduce(into: [:]) { table, group in
            for name in group.names.split(whereSeparator: \.isWhitespace) { table[String(name)] = group.use }
        }
    }
}

// The elements of mspdi_pj12.xsd, and those that later versions added. What an export writes or implies is in
// `ProjectWriting`, `TaskWriting` and `PeopleWriting`.
// https://learn.microsoft.com/office-project/xml-data-interchange/introduction-to-project-xml-data
extension RecordKind {
    private static let projectGroups: Groups = [
        (
            .imported,
            "Name Title StartDate FinishDate ScheduleFromStart CalendarUID MinutesPerDay DaysPerMonth WeekStartDay"
        ),
        (.content, "Subject Category Company Manager Author Keywords StatusDate BaselineCalendar"),
        (.setting("1"), "HonorConstraints"),
        (.setting("0"), "CriticalSlackLimit MultipleCriticalPaths"),
        (
            .needless(.partOfListed),
            """
            EarnedValueMethod BaselineForEarnedValue SpreadActualCost EditableActualCosts CalculateActualCosts
            InsertedProjectsLikeSummary
            """
        ),
        (
            .needless(.laterEdits),
            """
            DefaultStartTime DefaultFinishTime DefaultTaskType DefaultFixedCostAccrual DefaultStandardRate
            DefaultOvertimeRate DefaultTaskEVMethod NewTasksEffortDriven NewTasksEstimated NewTasksAreManual
            NewTaskStartDate SplitsInProgressTasks SpreadPercentComplete TaskUpdatesResource MoveCompletedEndsBack
            MoveCompletedEndsForward MoveRemainingStartsBack MoveRemainingStartsForward AutoAddNewResourcesAndTasks
            Autolink UpdateManuallyScheduledTasksWhenEditingLinks KeepTaskOnNearestWorkingTimeWhenMadeAutoScheduled
            """
        ),
        (
            .needless(.display),
            """
            MinutesPerWeek FYStartDate FiscalYearStart CurrencyDigits CurrencySymbol CurrencyCode
            CurrencySymbolPosition DurationFormat WorkFormat CurrentDate
            """
        ),
        (
            .needless(.bookkeeping),
            """
            SaveVersion BuildNumber UID GUID CreationDate ExtendedCreationDate LastSaved Revision
            MicrosoftProjectServerURL ProjectExternallyEdited ActualsInSync RemoveFileProperties AdminProject
            """
        ),
    ]

    private static let calendarGroups: Groups = [
        (.imported, "UID Name IsBaseCalendar BaseCalendarUID WeekDays Exceptions"), (.content, "WorkWeeks"),
        (.needless(.bookkeeping), "GUID IsBaselineCalendar"),
    ]

    private static let weekdayGroups: Groups = [(.imported, "DayType DayWorking TimePeriod WorkingTimes")]

    private static let exceptionGroups: Groups = [
        (
            .imported,
            """
            EnteredByOccurrences TimePeriod Occurrences Name Type Period DaysOfWeek MonthItem MonthPosition Month
            MonthDay DayWorking WorkingTimes
            """
        ),
        // A weekday of Project 2003 that is an exception.
        (.imported, "DayType"),
    ]

    private static let taskGroups: Groups = [
        (
            .imported,
            """
            UID Name IsNull OutlineLevel OutlineNumber WBS Start Finish Duration DurationFormat PercentComplete
            Milestone Active Critical EarlyStart EarlyFinish LateStart LateFinish ActualStart ActualFinish TotalSlack
            FreeSlack Notes Recurring PredecessorLink ExtendedAttribute Hyperlink HyperlinkAddress
            """
        ),
        (
            .content,
            """
            Contact Work Cost FixedCost OvertimeCost OvertimeWork ActualCost ActualOvertimeCost ActualWork
            ActualOvertimeWork RemainingCost RemainingOvertimeCost RemainingOvertimeWork ACWP CV SV VAC BCWS BCWP
            PhysicalPercentComplete ActualWorkProtected ActualOvertimeWorkProtected Stop Resume IsSubproject
            SubprojectName ExternalTask ExternalTaskProject ConstraintType ConstraintDate Deadline LevelingDelay
            HyperlinkSubAddress Baseline OutlineCode CommitmentStart CommitmentFinish StartText FinishText DurationText
            TimephasedData
            """
        ),
        (.setting("0"), "Manual EffortDriven IgnoreResourceCalendar"),
        // 1 is a fixed duration, which is what a task here has.
        (.setting("1"), "Type LevelAssignments LevelingCanSplit"),
        (.setting("500"), "Priority"),
        (.setting("-1"), "CalendarUID"),
        (
            .needless(.derived),
            """
            Summary OverAllocated StartVariance FinishVariance DurationVariance WorkVariance RemainingDuration
            ActualDuration RegularWork RemainingWork PercentWorkComplete StartSlack FinishSlack WBSLevel
            """
        ),
        (
            .needless(.partOfListed),
            """
            ManualStart ManualFinish ManualDuration FixedCostAccrual ResumeValid LevelingDelayFormat EarnedValueMethod
            CommitmentType PreLeveledStart PreLeveledFinish IsSubprojectReadOnly FreeformDurationFormat
            """
        ),
        (.needless(.display), "Rollup DisplayAsSummary DisplayOnTimeline HideBar Estimated"),
        (.needless(.bookkeeping), "ID GUID CreateDate IsPublished StatusManager Project"),
    ]

    /// What the summary of the project has of its own. Its other values are sums over the tasks.
    private static let summaryGroups: Groups = [
        (
            .needless(.derived),
            """
            Start Finish Duration DurationFormat PercentComplete Milestone Critical EarlyStart EarlyFinish LateStart
            LateFinish ActualStart ActualFinish TotalSlack FreeSlack Work Cost OvertimeCost OvertimeWork ActualCost
            ActualOvertimeCost ActualWork ActualOvertimeWork RemainingCost RemainingOvertimeCost RemainingOvertimeWork
            ACWP CV SV VAC BCWS BCWP PhysicalPercentComplete Stop Resume Baseline TimephasedData Type EffortDriven
            """
        ),
        (.content, "PredecessorLink ExtendedAttribute Hyperlink HyperlinkAddress"),
    ]

    private static let linkGroups: Groups = [
        (.imported, "PredecessorUID Type CrossProject LinkLag LagFormat"),
        (.needless(.partOfListed), "CrossProjectName"),
    ]

    private static let customFieldGroups: Groups = [
        (.imported, "FieldID FieldName Alias Formula"),
        (.content, "CalculationType AutoRollDown RestrictValues Default ValueList"),
        (.needless(.partOfListed), "RollupType ValuelistSortOrder AppendNewValues"),
        (
            .needless(.bookkeeping),
            "CFType Guid ElemType MaxMultiValues UserDef SecondaryPID SecondaryGuid DefaultGuid Ltuid PhoneticAlias"
        ),
    ]

    private static let customValueGroups: Groups = [
        (.imported, "FieldID Value ValueID ValueGUID DurationFormat"),
        (.needless(.bookkeeping), "UID SecondaryFieldID"),
    ]

    private static let resourceGroups: Groups = [
        (.imported, "UID Name EmailAddress NTAccount Type IsCostResource IsNull"),
        (
            .content,
            """
            Phonetics WindowsUserAccount MaterialLabel Code Group Hyperlink HyperlinkAddress HyperlinkSubAddress
            MaxUnits AvailableFrom AvailableTo Work OvertimeWork ActualWork ActualOvertimeWork RemainingOvertimeWork
            StandardRate Cost OvertimeRate OvertimeCost CostPerUse ActualCost ActualOvertimeCost RemainingCost
            RemainingOvertimeCost CostVariance SV CV ACWP Notes BCWS BCWP ActualWorkProtected
            ActualOvertimeWorkProtected ExtendedAttribute Baseline OutlineCode AssnOwner AssnOwnerGuid CostCenter
            AvailabilityPeriods Rates TimephasedData IsGeneric IsInactive IsBudget
            """
        ),
        (.setting("0"), "BookingType"),
        (.setting("1"), "CanLevel"),
        (
            .needless(.derived),
            "PeakUnits OverAllocated Start Finish WorkVariance RegularWork RemainingWork PercentWorkComplete"
        ),
        // Other calendars than the project's are listed.
        (.needless(.partOfListed), "AccrueAt StandardRateFormat OvertimeRateFormat CalendarUID"),
        (.needless(.display), "Initials"),
        (.needless(.bookkeeping), "ID GUID CreationDate WorkGroup IsEnterprise ActiveDirectoryGUID UserLicense"),
    ]

    private static let assignmentGroups: Groups = [
        (.imported, "TaskUID ResourceUID"),
        (
            .content,
            """
            Work OvertimeWork ActualWork ActualOvertimeWork RemainingOvertimeWork ActualStart ActualFinish ActualCost
            ActualOvertimeCost ACWP Confirmed Cost CostRateTable CostVariance CV SV VAC Delay Hyperlink HyperlinkAddress
            HyperlinkSubAddress LevelingDelay Notes OvertimeCost PeakUnits RemainingCost RemainingOvertimeCost Units
            WorkContour BCWS BCWP ActualWorkProtected ActualOvertimeWorkProtected BudgetCost BudgetWork
            ExtendedAttribute Baseline TimephasedData
            """
        ),
        (.setting("0"), "BookingType"),
        (
            .needless(.derived),
            """
            Start Finish StartVariance FinishVariance WorkVariance RegularWork RemainingWork PercentWorkComplete
            Milestone Summary OverAllocated Resume Stop
            """
        ),
        (.needless(.partOfListed), "HasFixedRateUnits FixedMaterial RateScale LevelingDelayFormat"),
        (
            .needless(.bookkeeping),
            "UID GUID CreationDate ResponsePending UpdateNeeded LinkedFields AssnOwner AssnOwnerGuid"
        ),
    ]
}

/// What an import does with an element of a plan that it knows, and why.
enum ElementUse: Equatable {
    /// It becomes part of a row, or it is listed in words of its own.
    case imported
    /// The collections have no field for it. It is listed if it holds something.
    case content
    /// It changes what Project computes. It is listed unless it has this value, which an export writes or implies.
    case setting(String)
    /// It needs no line.
    case needless(Reason)

    enum Reason {
        /// It follows from other elements: Project computes it again.
        case derived
        /// It only says more about something that is listed itself.
        case partOfListed
        /// It says what the tool does when somebody adds or changes something later.
        case laterEdits
        /// It says how the plan looks.
        case display
        /// It is a record that the writing tool or its server keeps for itself.
        case bookkeeping
    }
}
