// Made by scripts/console-files.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../../clients/console/app.js"
};

static const unsigned char file1[] = {
#embed "../../clients/console/icon.svg"
};

static const unsigned char file2[] = {
#embed "../../clients/console/index.html"
};

static const unsigned char file3[] = {
#embed "../../clients/console/lib/dialog.js"
};

static const unsigned char file4[] = {
#embed "../../clients/console/lib/elements.js"
};

static const unsigned char file5[] = {
#embed "../../clients/console/lib/notices.js"
};

static const unsigned char file6[] = {
#embed "../../clients/console/lib/pages.js"
};

static const unsigned char file7[] = {
#embed "../../clients/console/lib/plan/page.js"
};

static const unsigned char file8[] = {
#embed "../../clients/console/lib/projects/page.js"
};

static const unsigned char file9[] = {
#embed "../../clients/console/lib/routes.js"
};

static const unsigned char file10[] = {
#embed "../../clients/console/lib/shell/context.js"
};

static const unsigned char file11[] = {
#embed "../../clients/console/lib/shell/files.js"
};

static const unsigned char file12[] = {
#embed "../../clients/console/lib/shell/frame.js"
};

static const unsigned char file13[] = {
#embed "../../clients/console/lib/shell/header.js"
};

static const unsigned char file14[] = {
#embed "../../clients/console/lib/shell/insecure.js"
};

static const unsigned char file15[] = {
#embed "../../clients/console/lib/shell/mark.js"
};

static const unsigned char file16[] = {
#embed "../../clients/console/lib/shell/router.js"
};

static const unsigned char file17[] = {
#embed "../../clients/console/lib/shell/session-banner.js"
};

static const unsigned char file18[] = {
#embed "../../clients/console/lib/shell/sign-in.js"
};

static const unsigned char file19[] = {
#embed "../../clients/console/lib/shell/sign-out.js"
};

static const unsigned char file20[] = {
#embed "../../clients/console/lib/shell/start.js"
};

static const unsigned char file21[] = {
#embed "../../clients/console/lib/shell/sync-state.js"
};

static const unsigned char file22[] = {
#embed "../../clients/console/lib/shell/sync-summary.js"
};

static const unsigned char file23[] = {
#embed "../../clients/console/lib/shell/theme.js"
};

static const unsigned char file24[] = {
#embed "../../clients/console/lib/times.js"
};

static const unsigned char file25[] = {
#embed "../../clients/console/plan.css"
};

static const unsigned char file26[] = {
#embed "../../clients/console/shell.css"
};

static const unsigned char file27[] = {
#embed "../../clients/console/style.css"
};

static const unsigned char file28[] = {
#embed "../../clients/console/theme.js"
};

static const unsigned char file29[] = {
#embed "../../clients/web/index.js"
};

static const unsigned char file30[] = {
#embed "../../clients/web/lib/common/abort.js"
};

static const unsigned char file31[] = {
#embed "../../clients/web/lib/common/caller.js"
};

static const unsigned char file32[] = {
#embed "../../clients/web/lib/common/device.js"
};

static const unsigned char file33[] = {
#embed "../../clients/web/lib/common/digest.js"
};

static const unsigned char file34[] = {
#embed "../../clients/web/lib/common/error.js"
};

static const unsigned char file35[] = {
#embed "../../clients/web/lib/common/events.js"
};

static const unsigned char file36[] = {
#embed "../../clients/web/lib/common/foreground.js"
};

static const unsigned char file37[] = {
#embed "../../clients/web/lib/common/held.js"
};

static const unsigned char file38[] = {
#embed "../../clients/web/lib/common/jitter.js"
};

static const unsigned char file39[] = {
#embed "../../clients/web/lib/common/listening.js"
};

static const unsigned char file40[] = {
#embed "../../clients/web/lib/common/one-at-a-time.js"
};

static const unsigned char file41[] = {
#embed "../../clients/web/lib/common/pages.js"
};

static const unsigned char file42[] = {
#embed "../../clients/web/lib/common/pulls.js"
};

static const unsigned char file43[] = {
#embed "../../clients/web/lib/common/repeated.js"
};

static const unsigned char file44[] = {
#embed "../../clients/web/lib/common/scope.js"
};

static const unsigned char file45[] = {
#embed "../../clients/web/lib/common/stream.js"
};

static const unsigned char file46[] = {
#embed "../../clients/web/lib/common/transport.js"
};

static const unsigned char file47[] = {
#embed "../../clients/web/lib/common/uuid.js"
};

static const unsigned char file48[] = {
#embed "../../clients/web/lib/rows/answer.js"
};

static const unsigned char file49[] = {
#embed "../../clients/web/lib/rows/lost.js"
};

static const unsigned char file50[] = {
#embed "../../clients/web/lib/rows/order.js"
};

static const unsigned char file51[] = {
#embed "../../clients/web/lib/rows/page.js"
};

static const unsigned char file52[] = {
#embed "../../clients/web/lib/rows/record.js"
};

static const unsigned char file53[] = {
#embed "../../clients/web/lib/rows/schema.js"
};

static const unsigned char file54[] = {
#embed "../../clients/web/lib/rows/sent.js"
};

static const unsigned char file55[] = {
#embed "../../clients/web/lib/rows/settlement.js"
};

static const unsigned char file56[] = {
#embed "../../clients/web/lib/rows/values.js"
};

static const unsigned char file57[] = {
#embed "../../clients/web/lib/store/apply.js"
};

static const unsigned char file58[] = {
#embed "../../clients/web/lib/store/batches.js"
};

static const unsigned char file59[] = {
#embed "../../clients/web/lib/store/database.js"
};

static const unsigned char file60[] = {
#embed "../../clients/web/lib/store/drain-end.js"
};

static const unsigned char file61[] = {
#embed "../../clients/web/lib/store/edit.js"
};

static const unsigned char file62[] = {
#embed "../../clients/web/lib/store/forget.js"
};

static const unsigned char file63[] = {
#embed "../../clients/web/lib/store/next-batch.js"
};

static const unsigned char file64[] = {
#embed "../../clients/web/lib/store/ranges.js"
};

static const unsigned char file65[] = {
#embed "../../clients/web/lib/store/replacement.js"
};

static const unsigned char file66[] = {
#embed "../../clients/web/lib/store/replica.js"
};

static const unsigned char file67[] = {
#embed "../../clients/web/lib/store/rows.js"
};

static const unsigned char file68[] = {
#embed "../../clients/web/lib/store/settle.js"
};

static const unsigned char file69[] = {
#embed "../../clients/web/lib/store/state.js"
};

static const unsigned char file70[] = {
#embed "../../clients/web/lib/store/transaction.js"
};

static const unsigned char file71[] = {
#embed "../../clients/web/lib/store/unit.js"
};

static const unsigned char file72[] = {
#embed "../../clients/web/lib/sync/pull-loop.js"
};

static const unsigned char file73[] = {
#embed "../../clients/web/lib/sync/push-loop.js"
};

static const unsigned char file74[] = {
#embed "../../clients/web/lib/sync/syncer.js"
};

static const unsigned char file75[] = {
#embed "../../clients/web/lib/window/client.js"
};

static const unsigned char file76[] = {
#embed "../../clients/web/lib/window/hub.js"
};

static const unsigned char file77[] = {
#embed "../../clients/web/lib/window/leader.js"
};

static const unsigned char file78[] = {
#embed "../../clients/web/lib/window/line.js"
};

static const unsigned char file79[] = {
#embed "../../clients/web/lib/window/live.js"
};

static const unsigned char file80[] = {
#embed "../../clients/web/lib/window/sessions.js"
};

static const unsigned char file81[] = {
#embed "../../clients/web/lib/window/status.js"
};

static const unsigned char file82[] = {
#embed "../../clients/web/lib/window/tokens.js"
};

static const unsigned char file83[] = {
#embed "../../clients/web/lib/window/windows.js"
};

static const unsigned char file84[] = {
#embed "../../clients/console/worker.js"
};

static const struct console_file files[] = {
    {"app.js", file0, sizeof file0},
    {"icon.svg", file1, sizeof file1},
    {"index.html", file2, sizeof file2},
    {"lib/dialog.js", file3, sizeof file3},
    {"lib/elements.js", file4, sizeof file4},
    {"lib/notices.js", file5, sizeof file5},
    {"lib/pages.js", file6, sizeof file6},
    {"lib/plan/page.js", file7, sizeof file7},
    {"lib/projects/page.js", file8, sizeof file8},
    {"lib/routes.js", file9, sizeof file9},
    {"lib/shell/context.js", file10, sizeof file10},
    {"lib/shell/files.js", file11, sizeof file11},
    {"lib/shell/frame.js", file12, sizeof file12},
    {"lib/shell/header.js", file13, sizeof file13},
    {"lib/shell/insecure.js", file14, sizeof file14},
    {"lib/shell/mark.js", file15, sizeof file15},
    {"lib/shell/router.js", file16, sizeof file16},
    {"lib/shell/session-banner.js", file17, sizeof file17},
    {"lib/shell/sign-in.js", file18, sizeof file18},
    {"lib/shell/sign-out.js", file19, sizeof file19},
    {"lib/shell/start.js", file20, sizeof file20},
    {"lib/shell/sync-state.js", file21, sizeof file21},
    {"lib/shell/sync-summary.js", file22, sizeof file22},
    {"lib/shell/theme.js", file23, sizeof file23},
    {"lib/times.js", file24, sizeof file24},
    {"plan.css", file25, sizeof file25},
    {"shell.css", file26, sizeof file26},
    {"style.css", file27, sizeof file27},
    {"theme.js", file28, sizeof file28},
    {"tidemark/index.js", file29, sizeof file29},
    {"tidemark/lib/common/abort.js", file30, sizeof file30},
    {"tidemark/lib/common/caller.js", file31, sizeof file31},
    {"tidemark/lib/common/device.js", file32, sizeof file32},
    {"tidemark/lib/common/digest.js", file33, sizeof file33},
    {"tidemark/lib/common/error.js", file34, sizeof file34},
    {"tidemark/lib/common/events.js", file35, sizeof file35},
    {"tidemark/lib/common/foreground.js", file36, sizeof file36},
    {"tidemark/lib/common/held.js", file37, sizeof file37},
    {"tidemark/lib/common/jitter.js", file38, sizeof file38},
    {"tidemark/lib/common/listening.js", file39, sizeof file39},
    {"tidemark/lib/common/one-at-a-time.js", file40, sizeof file40},
    {"tidemark/lib/common/pages.js", file41, sizeof file41},
    {"tidemark/lib/common/pulls.js", file42, sizeof file42},
    {"tidemark/lib/common/repeated.js", file43, sizeof file43},
    {"tidemark/lib/common/scope.js", file44, sizeof file44},
    {"tidemark/lib/common/stream.js", file45, sizeof file45},
    {"tidemark/lib/common/transport.js", file46, sizeof file46},
    {"tidemark/lib/common/uuid.js", file47, sizeof file47},
    {"tidemark/lib/rows/answer.js", file48, sizeof file48},
    {"tidemark/lib/rows/lost.js", file49, sizeof file49},
    {"tidemark/lib/rows/order.js", file50, sizeof file50},
    {"tidemark/lib/rows/page.js", file51, sizeof file51},
    {"tidemark/lib/rows/record.js", file52, sizeof file52},
    {"tidemark/lib/rows/schema.js", file53, sizeof file53},
    {"tidemark/lib/rows/sent.js", file54, sizeof file54},
    {"tidemark/lib/rows/settlement.js", file55, sizeof file55},
    {"tidemark/lib/rows/values.js", file56, sizeof file56},
    {"tidemark/lib/store/apply.js", file57, sizeof file57},
    {"tidemark/lib/store/batches.js", file58, sizeof file58},
    {"tidemark/lib/store/database.js", file59, sizeof file59},
    {"tidemark/lib/store/drain-end.js", file60, sizeof file60},
    {"tidemark/lib/store/edit.js", file61, sizeof file61},
    {"tidemark/lib/store/forget.js", file62, sizeof file62},
    {"tidemark/lib/store/next-batch.js", file63, sizeof file63},
    {"tidemark/lib/store/ranges.js", file64, sizeof file64},
    {"tidemark/lib/store/replacement.js", file65, sizeof file65},
    {"tidemark/lib/store/replica.js", file66, sizeof file66},
    {"tidemark/lib/store/rows.js", file67, sizeof file67},
    {"tidemark/lib/store/settle.js", file68, sizeof file68},
    {"tidemark/lib/store/state.js", file69, sizeof file69},
    {"tidemark/lib/store/transaction.js", file70, sizeof file70},
    {"tidemark/lib/store/unit.js", file71, sizeof file71},
    {"tidemark/lib/sync/pull-loop.js", file72, sizeof file72},
    {"tidemark/lib/sync/push-loop.js", file73, sizeof file73},
    {"tidemark/lib/sync/syncer.js", file74, sizeof file74},
    {"tidemark/lib/window/client.js", file75, sizeof file75},
    {"tidemark/lib/window/hub.js", file76, sizeof file76},
    {"tidemark/lib/window/leader.js", file77, sizeof file77},
    {"tidemark/lib/window/line.js", file78, sizeof file78},
    {"tidemark/lib/window/live.js", file79, sizeof file79},
    {"tidemark/lib/window/sessions.js", file80, sizeof file80},
    {"tidemark/lib/window/status.js", file81, sizeof file81},
    {"tidemark/lib/window/tokens.js", file82, sizeof file82},
    {"tidemark/lib/window/windows.js", file83, sizeof file83},
    {"worker.js", file84, sizeof file84},
};

const struct console_file *console_files(void) { return files; }

size_t console_file_count(void) { return sizeof files / sizeof files[0]; }
