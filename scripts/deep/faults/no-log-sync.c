/* Preloaded, makes the server as careless as SQLite at synchronous=NORMAL: the write-ahead log is not synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_log(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path);
    return count > 4 && !memcmp(path + count - 4, "-wal", 4);
}

int fsync(int file) { return is_log(file) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file); }

int fdatasync(int file) { return is_log(file) ? 0 : ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file); }
