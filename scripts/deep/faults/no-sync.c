/* Preloaded, makes a program careless: what matches the pattern $NO_SYNC, as a shell has them, is not synced. With
   "*-wal", SQLite is as at synchronous=NORMAL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int is_spared(int file) {
    char link[64], path[4096];
    const char *pattern = getenv("NO_SYNC");
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (!pattern || count < 0) return 0;
    path[count] = 0;
    return fnmatch(pattern, path, 0) == 0;
}

int fsync(int file) { return is_spared(file) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file); }

int fdatasync(int file) { return is_spared(file) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file); }
