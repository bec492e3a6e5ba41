/* Preloaded, shifts the wall clock by as many seconds as the file $SHIFTED_CLOCK holds, an int64 that may change at any
   time. The monotonic clocks stay as they are. A wait for an instant of the wall clock notices, as it does in the
   kernel. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_sem_timedwait)(sem_t *, const struct timespec *);

__attribute__((constructor)) static void open_shift(void) {
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
    const char *path = getenv("SHIFTED_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) shift = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!real_clock_gettime) open_shift();
    int result = real_clock_gettime(clock, time);
    if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *shift;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
    for (;;) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec)) {
            if (sem_trywait(semaphore) == 0) return 0;
            errno = ETIMEDOUT;
            return -1;
        }
        real_clock_gettime(CLOCK_REALTIME, &now);
        now.tv_nsec += 10000000;
        if (now.tv_nsec >= 1000000000) now.tv_sec++, now.tv_nsec -= 1000000000;
        if (real_sem_timedwait(semaphore, &now) == 0) return 0;
        if (errno != ETIMEDOUT) return -1;
    }
}
