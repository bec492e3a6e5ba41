import SyncProtocol

/// The row of `calendars`: the project's calendar with everything it inherits.
struct CalendarMapping {
    let file: PlanFile
    let omissions: Omissions
    let id: String

    private static let mondayToFriday: Int64 = 31

    func row() -> [String: JSON] {
        let own = projectCalendar
        let chain = own.map(lineage) ?? []
        listOthers(than: own)
        let unusual = chain.reduce(0) { $0 + $1.unusualHours }
        if unusual > 0 { omissions.add("the working times of \(counted(unusual, "weekday")) of the calendar") }
        let name = own.map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? "Standard"
        let weekStart =
            file.project["WeekStartDay"].flatMap { Int($0) }.flatMap { (0...6).contains($0) ? $0 : nil } ?? 0
        let days = workingDays(chain)
        let exceptions = ExceptionMapping(weekStart: weekStart, workingDays: days, omissions: omissions)
        return [
            "id": .string(id),
            "name": .string(Texts(omissions).cut(name, to: 255, of: "calendar", "name")),
            "working_days": .int(days),
            "hours_per_day": JSON((WorkTime.minutesPerDay(file) ?? 480) / 60),
            "exceptions": exceptions.json(chain.map(\.exceptions)),
        ]
    }

    /// The index of the project's calendar in the file; nil when the file has none that can be used.
    private var projectIndex: Int? {
        let uid = file.project["CalendarUID"].flatMap { Int($0) }
        return file.calendars.firstIndex { $0.uid != nil && $0.uid == uid }
            ?? file.calendars.firstIndex(where: \.isBase)
    }

    private var projectCalendar: PlanCalendar? { projectIndex.map { file.calendars[$0] } }

    /// The calendar, then the calendars that it is based on, nearest first. Each occurs once.
    private func lineage(_ calendar: PlanCalendar) -> [PlanCalendar] {
        let byUID = Dictionary(file.calendars.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        var chain = [calendar]
        var seen: Set<Int> = calendar.uid.map { [$0] } ?? []
        while let last = chain.last, !last.isBase, let uid = last.baseUID, seen.insert(uid).inserted,
            let base = byUID[uid]
        {
            chain.append(base)
        }
        return chain
    }

    private func workingDays(_ chain: [PlanCalendar]) -> Int64 {
        var mask: Int64 = 0
        for type in 1...7 {
            // `DayType` starts with Sunday as 1; the mask starts with Monday.
            let bit: Int64 = 1 << Int64((type + 5) % 7)
            let working = chain.lazy.compactMap { $0.weekDays[type] }.first
            if working ?? (bit & CalendarMapping.mondayToFriday != 0) { mask |= bit }
        }
        if mask != 0 { return mask }
        omissions.add("a calendar without a working day: Monday to Friday are used")
        return CalendarMapping.mondayToFriday
    }

    private func listOthers(than own: PlanCalendar?) {
        let others = file.calendars.indices.filter { $0 != projectIndex }.map { index in
            let calendar = file.calendars[index]
            return calendar.name.isEmpty ? "calendar \(calendar.uid ?? 0)" : calendar.name
        }
        if !others.isEmpty {
            omissions.add("\(counted(others.count, "other calendar")): \(others.joined(separator: ", "))")
        }
        guard let text = file.project["CalendarUID"], text != "NA" else { return }
        if Int(text).map({ $0 >= 0 && own?.uid != $0 }) ?? true {
            omissions.add("the project's calendar \(text.prefix(100)), which is not in the plan")
        }
    }
}
