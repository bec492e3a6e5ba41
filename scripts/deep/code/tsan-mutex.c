// Preloaded: tells the thread sanitizer of the slow paths of Swift's Mutex.
//
// The inlined part of a Mutex is compiled with the sanitizer. Where threads meet, it goes on in
// libswiftSynchronization.so, which is not. The sanitizer misses who took the lock from whom, and reports what the lock
// protects:
// https://github.com/swiftlang/swift/blob/main/stdlib/public/Synchronization/Mutex/LinuxImpl.swift
// These functions stand in front of those of that name there. A suppression would hide races as well; this hides none.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Weak: a process without the sanitizer has neither.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *handle
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lockSlow(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT bool tryLockSlow(HANDLE) __asm__(TRY_LOCK);
SWIFT void unlockSlow(HANDLE) __asm__(UNLOCK);

static void *original(const char *name) { return dlsym(RTLD_NEXT, name); }

static void taken(void *handle) {
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void lockSlow(uint32_t thread, HANDLE) {
    ((SWIFT void (*)(uint32_t, HANDLE))original(LOCK))(thread, handle);
    taken(handle);
}

SWIFT bool tryLockSlow(HANDLE) {
    bool isTaken = ((SWIFT bool (*)(HANDLE))original(TRY_LOCK))(handle);
    if (isTaken) taken(handle);
    return isTaken;
}

SWIFT void unlockSlow(HANDLE) {
    if (__tsan_release) __tsan_release(handle);
    ((SWIFT void (*)(HANDLE))original(UNLOCK))(handle);
}
