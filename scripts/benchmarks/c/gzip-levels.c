/* Compresses a file by zlib and libdeflate at each level.
   gzip-levels FILE; prints library, level, nanoseconds, bytes. */
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

static uint8_t *input, *output;
static size_t input_bytes, capacity;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static size_t by_zlib(int level) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = input, stream.avail_in = (uInt)input_bytes;
    stream.next_out = output, stream.avail_out = (uInt)capacity;
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return stream.total_out;
}

static size_t by_libdeflate(int level) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    size_t bytes = libdeflate_gzip_compress(compressor, input, input_bytes, output, capacity);
    libdeflate_free_compressor(compressor);
    return bytes;
}

static void measure(const char *library, size_t (*compress)(int), int level) {
    int64_t best = INT64_MAX;
    size_t bytes = 0;
    for (int round = 0; round < 9; round++) {
        int64_t start = now();
        bytes = compress(level);
        if (now() - start < best) best = now() - start;
    }
    printf("%s %d %lld %zu\n", library, level, (long long)best, bytes);
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file) { fprintf(stderr, "usage: gzip-levels FILE\n"); return 2; }
    fseek(file, 0, SEEK_END);
    input_bytes = (size_t)ftell(file);
    rewind(file);
    capacity = input_bytes + input_bytes / 8 + 4096;
    input = malloc(input_bytes), output = malloc(capacity);
    if (fread(input, 1, input_bytes, file) != input_bytes) return 1;
    for (int level = 1; level <= 9; level++) measure("zlib", by_zlib, level);
    for (int level = 1; level <= 9; level++) measure("libdeflate", by_libdeflate, level);
}
