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

/// Converts durations to whole working days.
struct DurationMapping {
    let time: WorkTime
    let omissions: Omissions

    /// How lists name what was converted: "durations of n tasks", "n estimates".
    struct Subject {
        var before: String
        var noun: String

        static let durations = Subject(before: "durations of", noun: "task")
        static let estimates = Subject(before: "", noun: "estimate")
    }

    /// The duration of a task. If the file has none, 0 for a milestone and 1 for any other task.
    func days(of task: PlanTask) -> Int {
        guard let duration = task.duration else { return task.isMilestone ? 0 : 1 }
        return days(duration, .durations)
    }

    /// The nearest whole number of days, but at least 1 for anything longer than nothing.
    func days(_ duration: PlanDuration, _ subject: Subject) -> Int {
        let exact = time.days(duration)
        let days = exact > 0 ? max(1, exact.wholeDays) : 0
        if duration.isElapsed, !duration.span.isZero {
            list(subject, "from elapsed time converted to working days")
        } else if exact > Double(WorkTime.mostDays) {
            list(subject, "cut to \(WorkTime.mostDays) days")
        } else if !exact.isNearly(days) {
            list(subject, "rounded to whole days")
        }
        return days
    }

    private func list(_ subject: Subject, _ what: String) { omissions.count(subject.before, subject.noun, after: what) }
}

extension Double {
    /// Equal except for rounding errors in minutes and months.
    func isNearly(_ whole: Int) -> Bool { abs(self - Double(whole)) < 1e-6 }
}
