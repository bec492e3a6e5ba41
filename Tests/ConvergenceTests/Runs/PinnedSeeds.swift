/// Runs that catch the planted bugs. `scripts/check-convergence --pin` writes this file.
enum PinnedSeeds {
    static let byBug: [String: UInt64] = [
        "answer-as-base": 121,
        "answers-by-number-alone": 18,
        "comparison-forgotten": 10,
        "edit-leaves-with-row": 18,
        "foreign-row-taken-for-own": 1,
        "gate-not-asked-by-uploads": 6,
        "hand-over-untold": 4,
        "heads-of-part-alone": 7,
        "leaver-forgotten": 8,
        "missed-cascade-tombstone": 4,
        "named-file-swept": 1,
        "narrowing-not-delivered": 12,
        "never-sent-again": 10,
        "no-body-hash": 1,
        "per-row-counter-as-cursor": 1,
        "project-refusals-restamp": 1,
        "purge-without-horizon": 1,
        "record-not-stored": 3,
        "refused-not-restamped": 1,
        "since-ahead-not-refused": 5,
        "unbounded-upper-end": 5,
        "watermark-as-base": 6,
        "watermark-per-page": 7,
        "widening-not-redelivered": 16,
    ]
}
