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
