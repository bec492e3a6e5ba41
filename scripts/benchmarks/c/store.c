/* The floor of an upload: puts new tasks and the records of their batches into a database that a server has had uploads
   to, with the server's tables, indexes and pragmas. It asks and counts what the server asks and counts for each batch,
   and judges nothing. Rows are copies of the last one under ids that chance picks, or that rise with time.

   store DATABASE ROWS MEMBERS SECONDS random|rising
   A batch has ROWS rows; MEMBERS batches share a transaction, each in a savepoint. Prints the rows a second. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MAXIMUM_COLUMNS = 80, WAL_LIMIT = 16 << 20 };

static sqlite3 *db;

static void fail(const char *what) { fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db)); exit(1); }
static void run(const char *sql) { if (sqlite3_exec(db, sql, NULL, NULL, NULL)) fail(sql); }

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL)) fail(sql);
    return statement;
}

static sqlite3_stmt *last_row(const char *table) {
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY rowid DESC LIMIT 1", table);
    sqlite3_stmt *last = prepared(sql);
    if (sqlite3_step(last) != SQLITE_ROW) fail("the table is empty");
    return last;
}

/* An INSERT into the table, bound to the values of its last row. */
static sqlite3_stmt *copy(const char *table, char names[][80], int *count) {
    char sql[4096];
    sqlite3_stmt *last = last_row(table);
    *count = sqlite3_column_count(last);
    char *end = sql + sprintf(sql, "INSERT INTO %s VALUES (?", table);
    for (int i = 1; i < *count; i++) end += sprintf(end, ",?");
    sprintf(end, ")");
    sqlite3_stmt *insert = prepared(sql);
    for (int i = 0; i < *count; i++) {
        snprintf(names[i], sizeof names[i], "%s", sqlite3_column_name(last, i));
        sqlite3_bind_value(insert, i + 1, sqlite3_column_value(last, i));
    }
    sqlite3_finalize(last);
    return insert;
}

static int place(char names[][80], int count, const char *name) {
    for (int i = 0; i < count; i++) if (!strcmp(names[i], name)) return i + 1;
    fail(name);
    return 0;
}

/* What is asked and counted for each batch, besides the project's head: ?1 is the project, ?2 the user. The digest's
   bits are what they were. */
static const char *const of_batch[] = {
    "SELECT role, widened_seq, narrowed_seq, history FROM tidemark_access WHERE user_id = ?2 AND project_id = ?1",
    "UPDATE tidemark_row_counts SET live = live + 1 WHERE project_id = ?1 AND collection = 'tasks'",
    "UPDATE tidemark_digests SET live = live + 1, bits = (bits | 0) & ~(bits & 0)"
    " WHERE project_id = ?1 AND audience = 'everyone' AND collection = 'tasks'",
};
enum { OF_BATCH = sizeof of_batch / sizeof *of_batch };

/* The installation's number of a transaction, and what is kept of it for each batch: ?1 is the project. */
static const char newest_number[] =
    "SELECT COALESCE(MAX(no), 1) FROM (SELECT MAX(no) AS no FROM tidemark_numbers"
    " UNION ALL SELECT CAST(value AS BIGINT) FROM tidemark_settings WHERE name = 'number_base')";
static const char add_number[] =
    "INSERT INTO tidemark_numbers (project_id, no, sync_seq, at, audiences, changes_sight)"
    " VALUES (?1, ?2, ?3, MAX(?4, COALESCE("
    "(SELECT at FROM tidemark_numbers WHERE project_id = ?1 ORDER BY no DESC LIMIT 1), 0)), 'everyone', 0)"
    " ON CONFLICT (no, project_id) DO UPDATE SET sync_seq = excluded.sync_seq, at = excluded.at,"
    " audiences = tidemark_numbers.audiences || ',' || excluded.audiences,"
    " changes_sight = MAX(tidemark_numbers.changes_sight, excluded.changes_sight)";

/* A statement, bound to the project and the user of the last batch. */
static sqlite3_stmt *of_last_batch(const char *sql) {
    sqlite3_stmt *last = last_row("tidemark_idempotency"), *statement = prepared(sql);
    for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++)
        sqlite3_bind_value(statement, i + 1, sqlite3_column_value(last, i));
    sqlite3_finalize(last);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE && code != SQLITE_ROW) fail("step");
    sqlite3_reset(statement);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void identifier(char *text, int rises, uint64_t number) {
    uint64_t parts[2];
    sqlite3_randomness(sizeof parts, parts);
    if (rises) parts[0] = (uint64_t)time(NULL) << 32 | (number >> 12 & 0xffff) << 16 | (number & 0xfff);
    sprintf(text, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(parts[0] >> 32), (unsigned)(parts[0] >> 16) & 0xffff,
        (unsigned)parts[0] & 0xfff, (unsigned)(parts[1] >> 48) & 0xfff,
        (unsigned long long)parts[1] & 0xffffffffffffull);
}

int main(int count, char **arguments) {
    if (count != 6) { fprintf(stderr, "store DATABASE ROWS MEMBERS SECONDS random|rising\n"); return 2; }
    int rows = atoi(arguments[2]), members = atoi(arguments[3]), rises = !strcmp(arguments[5], "rising");
    double seconds = atof(arguments[4]);
    char wal[4096], names[MAXIMUM_COLUMNS][80], id[40], key[40], short_id[40];
    snprintf(wal, sizeof wal, "%s-wal", arguments[1]);
    if (sqlite3_open(arguments[1], &db)) fail(arguments[1]);
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 16777216;"
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
        "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY");
    int columns, record_columns;
    sqlite3_stmt *record = copy("tidemark_idempotency", names, &record_columns);
    int key_place = place(names, record_columns, "idempotency_key");
    sqlite3_stmt *insert = copy("tasks", names, &columns);
    int id_place = place(names, columns, "id"), short_place = place(names, columns, "short_id");
    int seq_places[] = { place(names, columns, "sync_seq"), place(names, columns, "created_seq"),
        place(names, columns, "content_seq") };
    sqlite3_stmt *questions[OF_BATCH], *row_by_id = prepared("SELECT * FROM tasks WHERE id = ?1");
    for (int i = 0; i < OF_BATCH; i++) questions[i] = of_last_batch(of_batch[i]);
    sqlite3_stmt *answer = of_last_batch("SELECT body_hash, response, stored_at FROM tidemark_idempotency"
        " WHERE scope = ?1 AND user_id = ?2 AND idempotency_key = ?3");
    sqlite3_stmt *project = of_last_batch("SELECT head, is_archived, is_deleted, horizon, floor, history_floor,"
        " short_ids FROM tidemark_projects WHERE id = ?1");
    sqlite3_stmt *move = of_last_batch("UPDATE tidemark_projects SET head = head + 1, short_ids = short_ids + ?3"
        " WHERE id = ?1 AND head = ?2");
    sqlite3_bind_int(move, 3, rows);
    sqlite3_stmt *newest = prepared(newest_number), *number = of_last_batch(add_number);
    sqlite3_stmt *begin = prepared("BEGIN IMMEDIATE"), *commit = prepared("COMMIT");
    sqlite3_stmt *savepoint = prepared("SAVEPOINT member"), *release = prepared("RELEASE member");
    uint64_t stored = 0;
    double start = now();
    while (now() - start < seconds) {
        step(begin);
        if (sqlite3_step(newest) != SQLITE_ROW) fail("number");
        sqlite3_bind_int64(number, 2, sqlite3_column_int64(newest, 0) + 1);
        sqlite3_reset(newest);
        for (int member = 0; member < members; member++) {
            if (member) step(savepoint);
            identifier(key, 0, 0);
            sqlite3_bind_text(answer, 3, key, -1, SQLITE_TRANSIENT);
            step(answer);
            for (int i = 0; i < OF_BATCH; i++) step(questions[i]);
            if (sqlite3_step(project) != SQLITE_ROW) fail("head");
            sqlite3_int64 head = sqlite3_column_int64(project, 0);
            sqlite3_reset(project);
            sqlite3_bind_int64(move, 2, head);
            step(move);
            sqlite3_bind_int64(number, 3, head + 1);
            sqlite3_bind_int64(number, 4, (sqlite3_int64)time(NULL) * 1000);
            step(number);
            for (int i = 0; i < 3; i++) sqlite3_bind_int64(insert, seq_places[i], head + 1);
            for (int row = 0; row < rows; row++) {
                identifier(id, rises, stored++);
                sqlite3_bind_text(row_by_id, 1, id, -1, SQLITE_TRANSIENT);
                step(row_by_id);
                sqlite3_bind_text(insert, id_place, id, -1, SQLITE_TRANSIENT);
                sprintf(short_id, "X-%llu", (unsigned long long)stored);
                sqlite3_bind_text(insert, short_place, short_id, -1, SQLITE_TRANSIENT);
                step(insert);
            }
            sqlite3_bind_text(record, key_place, key, -1, SQLITE_TRANSIENT);
            step(record);
            if (member) step(release);
        }
        step(commit);
        struct stat status;
        if (!stat(wal, &status) && status.st_size > WAL_LIMIT) run("PRAGMA wal_checkpoint(RESTART)");
    }
    printf("%.1f\n", (double)stored / (now() - start));
    return 0;
}
