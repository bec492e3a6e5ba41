/// Converts the plan's working times to days.
struct WorkTime {
    /// The greatest value of the field `duration`, and of `lag` with either sign.
    static let mostDays = 36_525

    let minutesPerDay: Double
    private let daysPerMonth: Double
    private let workingDaysPerWeek: Double

    init(file: PlanFile, workingDays: Int64, omissions: Omissions) {
        minutesPerDay = WorkTime.minutesPerDay(file) ?? 480
        let month = file.project["DaysPerMonth"].flatMap(Double.init) ?? 20
        daysPerMonth = (1...31).contains(month) ? month : 20
        workingDaysPerWeek = Double(workingDays.nonzeroBitCount)
        if let text = file.project["MinutesPerDay"], Double(text) != minutesPerDay {
            omissions.add("a working day of \(text) minutes: \(minutesPerDay.short) are used")
        }
    }

    /// The minutes of a working day, as a whole number. Nil when the file gives no possible value.
    static func minutesPerDay(_ file: PlanFile) -> Double? {
        file.project["MinutesPerDay"].flatMap(Double.init).flatMap { (1...1440).contains($0) ? $0.rounded() : nil }
    }

    /// Working days, not rounded.
    func days(_ duration: PlanDuration) -> Double {
        let span = duration.span
        if duration.isElapsed { return working(elapsed: span.months * 30 + span.days + span.minutes / 1440) }
        return span.months * daysPerMonth + span.days + span.minutes / minutesPerDay
    }

    /// Working days, not rounded, from tenths of a minute, the unit of lags and slacks.
    func days(tenths: Int, isElapsed: Bool = false) -> Double {
        let minutes = Double(tenths) / 10
        return isElapsed ? working(elapsed: minutes / 1440) : minutes / minutesPerDay
    }

    private func working(elapsed days: Double) -> Double { days * workingDaysPerWeek / 7 }
}

extension Double {
    /// Rounded half away from zero, and limited to ± `WorkTime.mostDays`.
    var wholeDays: Int {
        let most = Double(WorkTime.mostDays)
        return Int(Swift.min(Swift.max(rounded(), -most), most))
    }

    /// A text for lists: at most two digits after the decimal point, none for a whole number.
    var short: String {
        let rounded = (self * 100).rounded() / 100
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }
}
