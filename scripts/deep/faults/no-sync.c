/* Preloaded, makes a program careless: what matches the pattern $NO_SYNC, as a shell has them, is not synced. With
   "*-wal", SQLite is as at synchronous=NORMAL. What matches $SLOW_SYNC is synced later, as by a
   slow disk: by $SLOW_MS, or 150. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int matches(const char *variable, int file) {
    char link[64], path[4096];
    const char *pattern = getenv(variable);
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (!pattern || count < 0) return 0;
    path[count] = 0;
    return fnmatch(pattern, path, 0) == 0;
}

static int synced(const char *call, int file) {
    if (matches("NO_SYNC", file)) return 0;
    const char *delay = getenv("SLOW_MS");
    if (matches("SLOW_SYNC", file)) usleep(1000 * (delay ? atoi(delay) : 150));
    return ((int (*)(int))dlsym(RTLD_NEXT, call))(file);
}

int fsync(int file) { return synced("fsync", file); }

int fdatasync(int file) { return synced("fdatasync", file); }
