/// What every connection sets before its first statement.
///
/// All reads are ranges in the order of an index. The planner must not choose another way because its statistics are
/// old, so plans are made once, for any value. The time limits end what somebody has forgotten.
enum SessionSettings {
    private static let all = """
        SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
        SET lock_timeout = '10s'; SET extra_float_digits = 1; SET synchronous_commit = on;
        SET standard_conforming_strings = on;
        """

    static let readers = all + "SET statement_timeout = '10s'; SET idle_in_transaction_session_timeout = '15s'"
    /// For a transaction that waits for its client: sent one by one, up to its end.
    static let lasting = [
        "SET LOCAL statement_timeout = '60s'", "SET LOCAL idle_in_transaction_session_timeout = '70s'",
    ]
    static let writers = all + "SET idle_in_transaction_session_timeout = '15s'"
    /// Buckets need not survive a crash.
    static let throttle = all + "SET synchronous_commit = off; SET statement_timeout = '5s'"
    /// Holds a lock for as long as a job takes.
    static let job = "SET idle_session_timeout = 0"
    /// Read and write whole tables, for as long as it takes, in the order that the planner likes best.
    static let copying = """
        SET jit = off; SET lock_timeout = '60s'; SET statement_timeout = 0; SET client_min_messages = warning;
        SET idle_in_transaction_session_timeout = 0; SET extra_float_digits = 1; SET work_mem = '64MB';
        SET maintenance_work_mem = '256MB'
        """
    /// Makes and changes tables, which may take as long as it needs.
    static let opening = """
        SET lock_timeout = '120s'; SET client_min_messages = warning; SET standard_conforming_strings = on;
        SET synchronous_commit = on
        """
}
