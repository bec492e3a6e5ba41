/* The floor of a cold page: scans the same table by the same index with the same SQL as the server, and writes the same
   JSON to memory. One drain after the other, from the first row to the last.

   floor DATABASE SQL COLUMNS PROJECT PAGE_SIZE ROUNDS OUTPUT
   SQL takes ?1 project, ?2 ?3 the position, ?4 the head. Its columns are id, server_version, is_deleted, sync_seq,
   eight more, then those of COLUMNS: "t:name,i:duration" with t text, i integer, d number, b boolean, j JSON.
   Prints the nanoseconds a page of each round. OUTPUT gets the rows of one drain, a page a line; "-" for none. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SYSTEM_COLUMNS = 12, MAXIMUM_COLUMNS = 64, NUMBER_BYTES = 26 };

static struct { char form; char key[80]; size_t key_bytes; } columns[MAXIMUM_COLUMNS];
static int column_count;
static uint8_t *page, *end;
static size_t capacity, fixed_bytes = 128;
/* What stands between a row's id and its version: it names the project. */
static char middle[320];
static size_t middle_bytes;

static void fail(const char *what) { fprintf(stderr, "%s\n", what); exit(1); }

static void read_columns(char *text) {
    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        columns[column_count].form = part[0];
        columns[column_count].key_bytes = (size_t)sprintf(columns[column_count].key, ",\"%s\":", part + 2);
        fixed_bytes += columns[column_count++].key_bytes + NUMBER_BYTES;
    }
}

static void reserve(size_t bytes) {
    size_t used = (size_t)(end - page);
    if (used + bytes <= capacity) return;
    capacity = (used + bytes) * 2;
    if (!(page = realloc(page, capacity))) fail("no memory");
    end = page + used;
}

static inline void raw(const void *bytes, size_t count) { memcpy(end, bytes, count); end += count; }

static inline void integer(int64_t value) {
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[20], *start = digits + sizeof digits;
    do *--start = (char)('0' + rest % 10); while (rest /= 10);
    if (value < 0) *end++ = '-';
    raw(start, (size_t)(digits + sizeof digits - start));
}

static void number(double value) {
    char text[32];
    if (value == (double)(int64_t)value) { integer((int64_t)value); return; }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(text, sizeof text, "%.*g", precision, value);
        if (strtod(text, NULL) == value) break;
    }
    raw(text, strlen(text));
}

static inline void string(const uint8_t *text, size_t count) {
    size_t clean = 0;
    *end++ = '"';
    for (size_t index = 0; index < count; index++) {
        uint8_t byte = text[index];
        if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
        raw(text + clean, index - clean);
        clean = index + 1;
        switch (byte) {
        case '"': raw("\\\"", 2); break;
        case '\\': raw("\\\\", 2); break;
        case '\n': raw("\\n", 2); break;
        case '\r': raw("\\r", 2); break;
        case '\t': raw("\\t", 2); break;
        default: end += sprintf((char *)end, "\\u%04x", byte);
        }
    }
    raw(text + clean, count - clean);
    *end++ = '"';
}

static inline void value(sqlite3_stmt *row, int column, char form) {
    if (sqlite3_column_type(row, column) == SQLITE_NULL) { raw("null", 4); return; }
    switch (form) {
    case 'i': integer(sqlite3_column_int64(row, column)); return;
    case 'd': number(sqlite3_column_double(row, column)); return;
    case 'b': sqlite3_column_int64(row, column) ? raw("true", 4) : raw("false", 5); return;
    }
    const uint8_t *text = sqlite3_column_text(row, column);
    size_t count = (size_t)sqlite3_column_bytes(row, column);
    reserve(count * 6 + 2 + fixed_bytes);
    if (form == 'j') raw(text, count); else string(text, count);
}

static void write_row(sqlite3_stmt *row) {
    reserve(fixed_bytes);
    if (end > page) *end++ = ',';
    raw("{\"id\":", 6);
    value(row, 0, 't');
    raw(middle, middle_bytes);
    integer(sqlite3_column_int64(row, 1));
    for (int index = 0; index < column_count; index++) {
        raw(columns[index].key, columns[index].key_bytes);
        value(row, SYSTEM_COLUMNS + index, columns[index].form);
    }
    *end++ = '}';
}

/* A transaction a page, as the server has it. Returns whether rows are left, and moves the position. */
static int write_page(sqlite3 *db, sqlite3_stmt *scan, int page_size, int64_t *seq, char *id) {
    int rows = 0, more = 0;
    end = page;
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    sqlite3_bind_int64(scan, 2, *seq);
    sqlite3_bind_text(scan, 3, id, -1, SQLITE_TRANSIENT);
    while (sqlite3_step(scan) == SQLITE_ROW) {
        if (rows == page_size) { more = 1; break; }
        if (!sqlite3_column_int64(scan, 2)) write_row(scan);
        if (++rows == page_size) {
            *seq = sqlite3_column_int64(scan, 3);
            snprintf(id, 256, "%s", sqlite3_column_text(scan, 0));
        }
    }
    sqlite3_reset(scan);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return more;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t drain(sqlite3 *db, sqlite3_stmt *scan, int page_size, FILE *output, int *pages, size_t *bytes) {
    int64_t seq = 1, total = 0;
    char id[256] = "";
    int more;
    *pages = 0, *bytes = 0;
    do {
        int64_t start = now();
        more = write_page(db, scan, page_size, &seq, id);
        total += now() - start;
        ++*pages;
        *bytes += (size_t)(end - page);
        if (output) { fwrite(page, 1, (size_t)(end - page), output); fputc('\n', output); }
    } while (more);
    return total / *pages;
}

int main(int count, char **arguments) {
    if (count != 8) fail("usage: floor DATABASE SQL COLUMNS PROJECT PAGE_SIZE ROUNDS OUTPUT");
    sqlite3 *db;
    sqlite3_stmt *scan;
    if (sqlite3_open_v2(arguments[1], &db, SQLITE_OPEN_READWRITE, NULL)) fail("can't open the database");
    if (sqlite3_prepare_v3(db, arguments[2], -1, SQLITE_PREPARE_PERSISTENT, &scan, NULL)) fail(sqlite3_errmsg(db));
    read_columns(arguments[3]);
    middle_bytes = (size_t)snprintf(
        middle, sizeof middle, ",\"project_id\":\"%s\",\"server_version\":", arguments[4]);
    if (middle_bytes >= sizeof middle) fail("the project's id is too long");
    fixed_bytes += middle_bytes;
    sqlite3_bind_text(scan, 1, arguments[4], -1, SQLITE_STATIC);
    sqlite3_bind_int64(scan, 4, INT64_MAX);
    int page_size = atoi(arguments[5]), rounds = atoi(arguments[6]), pages;
    FILE *output = strcmp(arguments[7], "-") ? fopen(arguments[7], "wb") : NULL;
    size_t bytes;
    reserve(1 << 20);
    drain(db, scan, page_size, output, &pages, &bytes);
    if (output) fclose(output);
    printf("{\"ns_per_page\": [");
    for (int round = 0; round < rounds; round++)
        printf("%s%lld", round ? ", " : "", (long long)drain(db, scan, page_size, NULL, &pages, &bytes));
    printf("], \"pages\": %d, \"bytes\": %zu}\n", pages, bytes);
    sqlite3_finalize(scan);
    sqlite3_close(db);
}
