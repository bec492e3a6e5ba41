/// The plan of a page that the cache may have.
protocol CacheablePlan: Sendable {
    /// What the page is to be read by; nil if it is for its reader only.
    var shared: PagePlan? { get }
}
