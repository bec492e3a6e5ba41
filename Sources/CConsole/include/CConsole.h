#pragma once

#include <stddef.h>

/// A file of `/console/`, as it was when the binary was built.
struct console_file {
    /// Relative to `/console/`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

/// All files, sorted by path.
const struct console_file *console_files(void);
size_t console_file_count(void);
