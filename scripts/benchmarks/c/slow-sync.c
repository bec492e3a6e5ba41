/* Preloaded, makes a disk slow: fsync and fdatasync take SLOW_SYNC_MS milliseconds longer (5 if it is not set). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_a_while(void) {
    const char *text = getenv("SLOW_SYNC_MS");
    long milliseconds = text ? atol(text) : 5;
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

int fsync(int file) {
    wait_a_while();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
    wait_a_while();
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
