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

    private func list(_ subject: Subject, _ what: String) { omissions.count(subject.before, subject.noun, what) }
}

extension Double {
    /// Equal except for rounding errors in minutes and months.
    func isNearly(_ whole: Int) -> Bool { abs(self - Double(whole)) < 1e-6 }
}
