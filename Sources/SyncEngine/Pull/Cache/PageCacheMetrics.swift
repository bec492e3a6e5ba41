/// How well the page cache works. A request for an empty delta never asks the cache.
package struct PageCacheMetrics: Sendable, Equatable {
    /// Requests that were answered with a kept page.
    package var kept = 0
    /// Requests that waited for a page which somebody else was already reading.
    package var awaited = 0
    /// Requests that had to read the page.
    package var missing = 0
    package var pages = 0
    /// Approximate memory of the pages, in bytes.
    package var bytes = 0

    package init() {}
}
