import SyncSchema

extension RuleName {
    /// What judges rows by the rule.
    var rule: any RowRule {
        switch self {
        case .acyclicDependencies: AcyclicDependencies()
        case .grantedRoles: GrantedRoles()
        case .knownUser: KnownUser()
        case .lastOwner: LastOwner()
        case .orderedEstimates: OrderedEstimates()
        case .projectCalendar: ProjectCalendar()
        case .recurrencePattern: RecurrencePattern()
        case .sprintDates: SprintDates()
        case .suggestionStates: SuggestionStates()
        }
    }
}
