/* The floor of an upload: puts new tasks and the records of their batches into a database that a server has had uploads
   to, with the server's tables, indexes and pragmas, and judges nothing. Rows are copies of the last one under ids that
   chance picks, or that rise with time.

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

/* An INSERT into the table, bound to the values of its last row. */
static sqlite3_stmt *copy(const char *table, char names[][80], int *count) {
    char sql[4096];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY rowid DESC LIMIT 1", table);
    sqlite3_stmt *last = prepared(sql);
    if (sqlite3_step(last) != SQLITE_ROW) fail("the table is empty");
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
    char wal[4096], names[MAXIMUM_COLUMNS][80], id[40], short_id[40];
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
    sqlite3_stmt *head = prepared("UPDATE tidemark_projects SET head = head + 1 RETURNING head");
    sqlite3_stmt *begin = prepared("BEGIN IMMEDIATE"), *commit = prepared("COMMIT");
    sqlite3_stmt *savepoint = prepared("SAVEPOINT member"), *release = prepared("RELEASE member");
    uint64_t stored = 0;
    double start = now();
    while (now() - start < seconds) {
        step(begin);
        for (int member = 0; member < members; member++) {
            if (member) step(savepoint);
            if (sqlite3_step(head) != SQLITE_ROW) fail("head");
            sqlite3_int64 seq = sqlite3_column_int64(head, 0);
            sqlite3_reset(head);
            for (int i = 0; i < 3; i++) sqlite3_bind_int64(insert, seq_places[i], seq);
            for (int row = 0; row < rows; row++) {
                identifier(id, rises, stored++);
                sqlite3_bind_text(insert, id_place, id, -1, SQLITE_TRANSIENT);
                sprintf(short_id, "X-%llu", (unsigned long long)stored);
                sqlite3_bind_text(insert, short_place, short_id, -1, SQLITE_TRANSIENT);
                step(insert);
            }
            identifier(id, 0, 0);
            sqlite3_bind_text(record, key_place, id, -1, SQLITE_TRANSIENT);
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
