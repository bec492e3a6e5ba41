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
#embed "../../clients/console/lib/account/page.js"
};

static const unsigned char file4[] = {
#embed "../../clients/console/lib/account/password.js"
};

static const unsigned char file5[] = {
#embed "../../clients/console/lib/account/tokens.js"
};

static const unsigned char file6[] = {
#embed "../../clients/console/lib/devices/lag.js"
};

static const unsigned char file7[] = {
#embed "../../clients/console/lib/devices/page.js"
};

static const unsigned char file8[] = {
#embed "../../clients/console/lib/devices/table.js"
};

static const unsigned char file9[] = {
#embed "../../clients/console/lib/dialog.js"
};

static const unsigned char file10[] = {
#embed "../../clients/console/lib/elements.js"
};

static const unsigned char file11[] = {
#embed "../../clients/console/lib/explain/page.js"
};

static const unsigned char file12[] = {
#embed "../../clients/console/lib/notices.js"
};

static const unsigned char file13[] = {
#embed "../../clients/console/lib/now/figures.js"
};

static const unsigned char file14[] = {
#embed "../../clients/console/lib/now/page.js"
};

static const unsigned char file15[] = {
#embed "../../clients/console/lib/now/plot.js"
};

static const unsigned char file16[] = {
#embed "../../clients/console/lib/now/rates.js"
};

static const unsigned char file17[] = {
#embed "../../clients/console/lib/online.js"
};

static const unsigned char file18[] = {
#embed "../../clients/console/lib/pages.js"
};

static const unsigned char file19[] = {
#embed "../../clients/console/lib/plan/details.js"
};

static const unsigned char file20[] = {
#embed "../../clients/console/lib/plan/drawing/labels.js"
};

static const unsigned char file21[] = {
#embed "../../clients/console/lib/plan/drawing/paint-arrows.js"
};

static const unsigned char file22[] = {
#embed "../../clients/console/lib/plan/drawing/paint-bars.js"
};

static const unsigned char file23[] = {
#embed "../../clients/console/lib/plan/drawing/paint-days.js"
};

static const unsigned char file24[] = {
#embed "../../clients/console/lib/plan/drawing/paint.js"
};

static const unsigned char file25[] = {
#embed "../../clients/console/lib/plan/drawing/palette.js"
};

static const unsigned char file26[] = {
#embed "../../clients/console/lib/plan/editing.js"
};

static const unsigned char file27[] = {
#embed "../../clients/console/lib/plan/fields.js"
};

static const unsigned char file28[] = {
#embed "../../clients/console/lib/plan/keys.js"
};

static const unsigned char file29[] = {
#embed "../../clients/console/lib/plan/model/bars.js"
};

static const unsigned char file30[] = {
#embed "../../clients/console/lib/plan/model/days.js"
};

static const unsigned char file31[] = {
#embed "../../clients/console/lib/plan/model/plan.js"
};

static const unsigned char file32[] = {
#embed "../../clients/console/lib/plan/model/tree.js"
};

static const unsigned char file33[] = {
#embed "../../clients/console/lib/plan/model/working-days.js"
};

static const unsigned char file34[] = {
#embed "../../clients/console/lib/plan/page.js"
};

static const unsigned char file35[] = {
#embed "../../clients/console/lib/plan/places.js"
};

static const unsigned char file36[] = {
#embed "../../clients/console/lib/plan/plan-data.js"
};

static const unsigned char file37[] = {
#embed "../../clients/console/lib/plan/plan-keys.js"
};

static const unsigned char file38[] = {
#embed "../../clients/console/lib/plan/plan-page.js"
};

static const unsigned char file39[] = {
#embed "../../clients/console/lib/plan/texts.js"
};

static const unsigned char file40[] = {
#embed "../../clients/console/lib/plan/toolbar.js"
};

static const unsigned char file41[] = {
#embed "../../clients/console/lib/plan/troubles.js"
};

static const unsigned char file42[] = {
#embed "../../clients/console/lib/plan/view/arrows.js"
};

static const unsigned char file43[] = {
#embed "../../clients/console/lib/plan/view/chart.js"
};

static const unsigned char file44[] = {
#embed "../../clients/console/lib/plan/view/drag.js"
};

static const unsigned char file45[] = {
#embed "../../clients/console/lib/plan/view/geometry.js"
};

static const unsigned char file46[] = {
#embed "../../clients/console/lib/plan/view/pointer.js"
};

static const unsigned char file47[] = {
#embed "../../clients/console/lib/plan/view/ring.js"
};

static const unsigned char file48[] = {
#embed "../../clients/console/lib/plan/view/row-list.js"
};

static const unsigned char file49[] = {
#embed "../../clients/console/lib/plan/view/time-scale.js"
};

static const unsigned char file50[] = {
#embed "../../clients/console/lib/plan/view/tip.js"
};

static const unsigned char file51[] = {
#embed "../../clients/console/lib/projects/page.js"
};

static const unsigned char file52[] = {
#embed "../../clients/console/lib/routes.js"
};

static const unsigned char file53[] = {
#embed "../../clients/console/lib/shell/context.js"
};

static const unsigned char file54[] = {
#embed "../../clients/console/lib/shell/files.js"
};

static const unsigned char file55[] = {
#embed "../../clients/console/lib/shell/frame.js"
};

static const unsigned char file56[] = {
#embed "../../clients/console/lib/shell/header.js"
};

static const unsigned char file57[] = {
#embed "../../clients/console/lib/shell/insecure.js"
};

static const unsigned char file58[] = {
#embed "../../clients/console/lib/shell/mark.js"
};

static const unsigned char file59[] = {
#embed "../../clients/console/lib/shell/one-window.js"
};

static const unsigned char file60[] = {
#embed "../../clients/console/lib/shell/online-only.js"
};

static const unsigned char file61[] = {
#embed "../../clients/console/lib/shell/router.js"
};

static const unsigned char file62[] = {
#embed "../../clients/console/lib/shell/session-banner.js"
};

static const unsigned char file63[] = {
#embed "../../clients/console/lib/shell/sign-in.js"
};

static const unsigned char file64[] = {
#embed "../../clients/console/lib/shell/sign-out.js"
};

static const unsigned char file65[] = {
#embed "../../clients/console/lib/shell/start.js"
};

static const unsigned char file66[] = {
#embed "../../clients/console/lib/shell/sync-state.js"
};

static const unsigned char file67[] = {
#embed "../../clients/console/lib/shell/sync-summary.js"
};

static const unsigned char file68[] = {
#embed "../../clients/console/lib/shell/theme.js"
};

static const unsigned char file69[] = {
#embed "../../clients/console/lib/times.js"
};

static const unsigned char file70[] = {
#embed "../../clients/console/plan.css"
};

static const unsigned char file71[] = {
#embed "../../clients/console/sheets.css"
};

static const unsigned char file72[] = {
#embed "../../clients/console/shell.css"
};

static const unsigned char file73[] = {
#embed "../../clients/console/style.css"
};

static const unsigned char file74[] = {
#embed "../../clients/console/theme.js"
};

static const unsigned char file75[] = {
#embed "../../clients/web/index.js"
};

static const unsigned char file76[] = {
#embed "../../clients/web/lib/common/abort.js"
};

static const unsigned char file77[] = {
#embed "../../clients/web/lib/common/caller.js"
};

static const unsigned char file78[] = {
#embed "../../clients/web/lib/common/device.js"
};

static const unsigned char file79[] = {
#embed "../../clients/web/lib/common/digest.js"
};

static const unsigned char file80[] = {
#embed "../../clients/web/lib/common/error.js"
};

static const unsigned char file81[] = {
#embed "../../clients/web/lib/common/events.js"
};

static const unsigned char file82[] = {
#embed "../../clients/web/lib/common/foreground.js"
};

static const unsigned char file83[] = {
#embed "../../clients/web/lib/common/held.js"
};

static const unsigned char file84[] = {
#embed "../../clients/web/lib/common/jitter.js"
};

static const unsigned char file85[] = {
#embed "../../clients/web/lib/common/listening.js"
};

static const unsigned char file86[] = {
#embed "../../clients/web/lib/common/one-at-a-time.js"
};

static const unsigned char file87[] = {
#embed "../../clients/web/lib/common/pages.js"
};

static const unsigned char file88[] = {
#embed "../../clients/web/lib/common/pulls.js"
};

static const unsigned char file89[] = {
#embed "../../clients/web/lib/common/repeated.js"
};

static const unsigned char file90[] = {
#embed "../../clients/web/lib/common/scope.js"
};

static const unsigned char file91[] = {
#embed "../../clients/web/lib/common/stream.js"
};

static const unsigned char file92[] = {
#embed "../../clients/web/lib/common/transport.js"
};

static const unsigned char file93[] = {
#embed "../../clients/web/lib/common/uuid.js"
};

static const unsigned char file94[] = {
#embed "../../clients/web/lib/rows/answer.js"
};

static const unsigned char file95[] = {
#embed "../../clients/web/lib/rows/lost.js"
};

static const unsigned char file96[] = {
#embed "../../clients/web/lib/rows/order.js"
};

static const unsigned char file97[] = {
#embed "../../clients/web/lib/rows/page.js"
};

static const unsigned char file98[] = {
#embed "../../clients/web/lib/rows/record.js"
};

static const unsigned char file99[] = {
#embed "../../clients/web/lib/rows/schema.js"
};

static const unsigned char file100[] = {
#embed "../../clients/web/lib/rows/sent.js"
};

static const unsigned char file101[] = {
#embed "../../clients/web/lib/rows/settlement.js"
};

static const unsigned char file102[] = {
#embed "../../clients/web/lib/rows/values.js"
};

static const unsigned char file103[] = {
#embed "../../clients/web/lib/store/apply.js"
};

static const unsigned char file104[] = {
#embed "../../clients/web/lib/store/batches.js"
};

static const unsigned char file105[] = {
#embed "../../clients/web/lib/store/database.js"
};

static const unsigned char file106[] = {
#embed "../../clients/web/lib/store/drain-end.js"
};

static const unsigned char file107[] = {
#embed "../../clients/web/lib/store/edit.js"
};

static const unsigned char file108[] = {
#embed "../../clients/web/lib/store/forget.js"
};

static const unsigned char file109[] = {
#embed "../../clients/web/lib/store/next-batch.js"
};

static const unsigned char file110[] = {
#embed "../../clients/web/lib/store/ranges.js"
};

static const unsigned char file111[] = {
#embed "../../clients/web/lib/store/replacement.js"
};

static const unsigned char file112[] = {
#embed "../../clients/web/lib/store/replica.js"
};

static const unsigned char file113[] = {
#embed "../../clients/web/lib/store/rows.js"
};

static const unsigned char file114[] = {
#embed "../../clients/web/lib/store/settle.js"
};

static const unsigned char file115[] = {
#embed "../../clients/web/lib/store/state.js"
};

static const unsigned char file116[] = {
#embed "../../clients/web/lib/store/transaction.js"
};

static const unsigned char file117[] = {
#embed "../../clients/web/lib/store/unit.js"
};

static const unsigned char file118[] = {
#embed "../../clients/web/lib/sync/pull-loop.js"
};

static const unsigned char file119[] = {
#embed "../../clients/web/lib/sync/push-loop.js"
};

static const unsigned char file120[] = {
#embed "../../clients/web/lib/sync/syncer.js"
};

static const unsigned char file121[] = {
#embed "../../clients/web/lib/window/client.js"
};

static const unsigned char file122[] = {
#embed "../../clients/web/lib/window/hub.js"
};

static const unsigned char file123[] = {
#embed "../../clients/web/lib/window/leader.js"
};

static const unsigned char file124[] = {
#embed "../../clients/web/lib/window/line.js"
};

static const unsigned char file125[] = {
#embed "../../clients/web/lib/window/live.js"
};

static const unsigned char file126[] = {
#embed "../../clients/web/lib/window/sessions.js"
};

static const unsigned char file127[] = {
#embed "../../clients/web/lib/window/status.js"
};

static const unsigned char file128[] = {
#embed "../../clients/web/lib/window/tokens.js"
};

static const unsigned char file129[] = {
#embed "../../clients/web/lib/window/windows.js"
};

static const unsigned char file130[] = {
#embed "../../clients/console/worker.js"
};

static const struct console_file files[] = {
    {"app.js", file0, sizeof file0},
    {"icon.svg", file1, sizeof file1},
    {"index.html", file2, sizeof file2},
    {"lib/account/page.js", file3, sizeof file3},
    {"lib/account/password.js", file4, sizeof file4},
    {"lib/account/tokens.js", file5, sizeof file5},
    {"lib/devices/lag.js", file6, sizeof file6},
    {"lib/devices/page.js", file7, sizeof file7},
    {"lib/devices/table.js", file8, sizeof file8},
    {"lib/dialog.js", file9, sizeof file9},
    {"lib/elements.js", file10, sizeof file10},
    {"lib/explain/page.js", file11, sizeof file11},
    {"lib/notices.js", file12, sizeof file12},
    {"lib/now/figures.js", file13, sizeof file13},
    {"lib/now/page.js", file14, sizeof file14},
    {"lib/now/plot.js", file15, sizeof file15},
    {"lib/now/rates.js", file16, sizeof file16},
    {"lib/online.js", file17, sizeof file17},
    {"lib/pages.js", file18, sizeof file18},
    {"lib/plan/details.js", file19, sizeof file19},
    {"lib/plan/drawing/labels.js", file20, sizeof file20},
    {"lib/plan/drawing/paint-arrows.js", file21, sizeof file21},
    {"lib/plan/drawing/paint-bars.js", file22, sizeof file22},
    {"lib/plan/drawing/paint-days.js", file23, sizeof file23},
    {"lib/plan/drawing/paint.js", file24, sizeof file24},
    {"lib/plan/drawing/palette.js", file25, sizeof file25},
    {"lib/plan/editing.js", file26, sizeof file26},
    {"lib/plan/fields.js", file27, sizeof file27},
    {"lib/plan/keys.js", file28, sizeof file28},
    {"lib/plan/model/bars.js", file29, sizeof file29},
    {"lib/plan/model/days.js", file30, sizeof file30},
    {"lib/plan/model/plan.js", file31, sizeof file31},
    {"lib/plan/model/tree.js", file32, sizeof file32},
    {"lib/plan/model/working-days.js", file33, sizeof file33},
    {"lib/plan/page.js", file34, sizeof file34},
    {"lib/plan/places.js", file35, sizeof file35},
    {"lib/plan/plan-data.js", file36, sizeof file36},
    {"lib/plan/plan-keys.js", file37, sizeof file37},
    {"lib/plan/plan-page.js", file38, sizeof file38},
    {"lib/plan/texts.js", file39, sizeof file39},
    {"lib/plan/toolbar.js", file40, sizeof file40},
    {"lib/plan/troubles.js", file41, sizeof file41},
    {"lib/plan/view/arrows.js", file42, sizeof file42},
    {"lib/plan/view/chart.js", file43, sizeof file43},
    {"lib/plan/view/drag.js", file44, sizeof file44},
    {"lib/plan/view/geometry.js", file45, sizeof file45},
    {"lib/plan/view/pointer.js", file46, sizeof file46},
    {"lib/plan/view/ring.js", file47, sizeof file47},
    {"lib/plan/view/row-list.js", file48, sizeof file48},
    {"lib/plan/view/time-scale.js", file49, sizeof file49},
    {"lib/plan/view/tip.js", file50, sizeof file50},
    {"lib/projects/page.js", file51, sizeof file51},
    {"lib/routes.js", file52, sizeof file52},
    {"lib/shell/context.js", file53, sizeof file53},
    {"lib/shell/files.js", file54, sizeof file54},
    {"lib/shell/frame.js", file55, sizeof file55},
    {"lib/shell/header.js", file56, sizeof file56},
    {"lib/shell/insecure.js", file57, sizeof file57},
    {"lib/shell/mark.js", file58, sizeof file58},
    {"lib/shell/one-window.js", file59, sizeof file59},
    {"lib/shell/online-only.js", file60, sizeof file60},
    {"lib/shell/router.js", file61, sizeof file61},
    {"lib/shell/session-banner.js", file62, sizeof file62},
    {"lib/shell/sign-in.js", file63, sizeof file63},
    {"lib/shell/sign-out.js", file64, sizeof file64},
    {"lib/shell/start.js", file65, sizeof file65},
    {"lib/shell/sync-state.js", file66, sizeof file66},
    {"lib/shell/sync-summary.js", file67, sizeof file67},
    {"lib/shell/theme.js", file68, sizeof file68},
    {"lib/times.js", file69, sizeof file69},
    {"plan.css", file70, sizeof file70},
    {"sheets.css", file71, sizeof file71},
    {"shell.css", file72, sizeof file72},
    {"style.css", file73, sizeof file73},
    {"theme.js", file74, sizeof file74},
    {"tidemark/index.js", file75, sizeof file75},
    {"tidemark/lib/common/abort.js", file76, sizeof file76},
    {"tidemark/lib/common/caller.js", file77, sizeof file77},
    {"tidemark/lib/common/device.js", file78, sizeof file78},
    {"tidemark/lib/common/digest.js", file79, sizeof file79},
    {"tidemark/lib/common/error.js", file80, sizeof file80},
    {"tidemark/lib/common/events.js", file81, sizeof file81},
    {"tidemark/lib/common/foreground.js", file82, sizeof file82},
    {"tidemark/lib/common/held.js", file83, sizeof file83},
    {"tidemark/lib/common/jitter.js", file84, sizeof file84},
    {"tidemark/lib/common/listening.js", file85, sizeof file85},
    {"tidemark/lib/common/one-at-a-time.js", file86, sizeof file86},
    {"tidemark/lib/common/pages.js", file87, sizeof file87},
    {"tidemark/lib/common/pulls.js", file88, sizeof file88},
    {"tidemark/lib/common/repeated.js", file89, sizeof file89},
    {"tidemark/lib/common/scope.js", file90, sizeof file90},
    {"tidemark/lib/common/stream.js", file91, sizeof file91},
    {"tidemark/lib/common/transport.js", file92, sizeof file92},
    {"tidemark/lib/common/uuid.js", file93, sizeof file93},
    {"tidemark/lib/rows/answer.js", file94, sizeof file94},
    {"tidemark/lib/rows/lost.js", file95, sizeof file95},
    {"tidemark/lib/rows/order.js", file96, sizeof file96},
    {"tidemark/lib/rows/page.js", file97, sizeof file97},
    {"tidemark/lib/rows/record.js", file98, sizeof file98},
    {"tidemark/lib/rows/schema.js", file99, sizeof file99},
    {"tidemark/lib/rows/sent.js", file100, sizeof file100},
    {"tidemark/lib/rows/settlement.js", file101, sizeof file101},
    {"tidemark/lib/rows/values.js", file102, sizeof file102},
    {"tidemark/lib/store/apply.js", file103, sizeof file103},
    {"tidemark/lib/store/batches.js", file104, sizeof file104},
    {"tidemark/lib/store/database.js", file105, sizeof file105},
    {"tidemark/lib/store/drain-end.js", file106, sizeof file106},
    {"tidemark/lib/store/edit.js", file107, sizeof file107},
    {"tidemark/lib/store/forget.js", file108, sizeof file108},
    {"tidemark/lib/store/next-batch.js", file109, sizeof file109},
    {"tidemark/lib/store/ranges.js", file110, sizeof file110},
    {"tidemark/lib/store/replacement.js", file111, sizeof file111},
    {"tidemark/lib/store/replica.js", file112, sizeof file112},
    {"tidemark/lib/store/rows.js", file113, sizeof file113},
    {"tidemark/lib/store/settle.js", file114, sizeof file114},
    {"tidemark/lib/store/state.js", file115, sizeof file115},
    {"tidemark/lib/store/transaction.js", file116, sizeof file116},
    {"tidemark/lib/store/unit.js", file117, sizeof file117},
    {"tidemark/lib/sync/pull-loop.js", file118, sizeof file118},
    {"tidemark/lib/sync/push-loop.js", file119, sizeof file119},
    {"tidemark/lib/sync/syncer.js", file120, sizeof file120},
    {"tidemark/lib/window/client.js", file121, sizeof file121},
    {"tidemark/lib/window/hub.js", file122, sizeof file122},
    {"tidemark/lib/window/leader.js", file123, sizeof file123},
    {"tidemark/lib/window/line.js", file124, sizeof file124},
    {"tidemark/lib/window/live.js", file125, sizeof file125},
    {"tidemark/lib/window/sessions.js", file126, sizeof file126},
    {"tidemark/lib/window/status.js", file127, sizeof file127},
    {"tidemark/lib/window/tokens.js", file128, sizeof file128},
    {"tidemark/lib/window/windows.js", file129, sizeof file129},
    {"worker.js", file130, sizeof file130},
};

const struct console_file *console_files(void) { return files; }

size_t console_file_count(void) { return sizeof files / sizeof files[0]; }
