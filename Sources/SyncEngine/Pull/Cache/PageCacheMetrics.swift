/// How the cache of pages does. An empty delta never asks it.
package struct PageCacheMetrics: Sendable, Equatable {
    /// Questions that were answered with a kept page.
    package var kept = 0
    /// Questions that waited for a page which somebody read already.
    package var awaited = 0
    /// Questions after which the page had to be read.
    package var missing = 0
    package var pages = 0
    /// What the pages take, roughly.
    package var bytes = 0

    package init() {}
}
