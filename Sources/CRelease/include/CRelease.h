#pragma once

/// What `scripts/common.sh` says that is built: release, commits since, commit id. Empty if nobody has said it.
const char *tidemark_build_version(void);
