/* Preloaded, tells what a process's writes spend in SQLite, the disk included. Adds the wall time of each step within
   a transaction, and of each checkpoint, to a 64-bit number of nanoseconds at the start of the file $SQLITE_TIME. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *spent;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("SQLITE_TIME");
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *spent)) abort();
    spent = mmap(NULL, sizeof *spent, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (spent == MAP_FAILED) abort();
    close(file);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int sqlite3_step(sqlite3_stmt *statement) {
    static int (*step)(sqlite3_stmt *);
    if (!step) step = (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    sqlite3 *db = sqlite3_db_handle(statement);
    int is_inside = !sqlite3_get_autocommit(db);
    int64_t start = now();
    int code = step(statement);
    if (is_inside || !sqlite3_get_autocommit(db)) *spent += now() - start;
    return code;
}

int sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *name, int mode, int *log, int *moved) {
    static int (*checkpoint)(sqlite3 *, const char *, int, int *, int *);
    if (!checkpoint)
        checkpoint = (int (*)(sqlite3 *, const char *, int, int *, int *))dlsym(RTLD_NEXT, "sqlite3_wal_checkpoint_v2");
    int64_t start = now();
    int code = checkpoint(db, name, mode, log, moved);
    *spent += now() - start;
    return code;
}
