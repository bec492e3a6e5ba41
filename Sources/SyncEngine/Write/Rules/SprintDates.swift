import SyncProtocol
import SyncSchema

/// A sprint ends after it starts.
struct SprintDates: RowRule {
    func check(_ row: RuleSubject) throws {
        guard let start = row["start_date"].string, let finish = row["finish_date"].string, finish <= start else {
            return
        }
        throw Violation("finish_date", .inconsistent, "finish_date \(finish) must be after start_date \(start).")
    }
}
