#include "CRelease.h"

#ifndef TIDEMARK_VERSION
#define TIDEMARK_VERSION ""
#endif

const char *tidemark_build_version(void) { return TIDEMARK_VERSION; }
