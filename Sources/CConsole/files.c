// Made by scripts/console-files.
#include "CConsole.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file0[] = {
#embed "../../clients/console/admin.css"
};

static const unsigned char file1[] = {
#embed "../../clients/console/app.js"
};

static const unsigned char file2[] = {
#embed "../../clients/console/files.css"
};

static const unsigned char file3[] = {
#embed "../../clients/console/icon.svg"
};

static const unsigned char file4[] = {
#embed "../../clients/console/index.html"
};

static const unsigned char file5[] = {
#embed "../../clients/console/lib/account/page.js"
};

static const unsigned char file6[] = {
#embed "../../clients/console/lib/account/password.js"
};

static const unsigned char file7[] = {
#embed "../../clients/console/lib/account/show-once.js"
};

static const unsigned char file8[] = {
#embed "../../clients/console/lib/account/tokens.js"
};

static const unsigned char file9[] = {
#embed "../../clients/console/lib/admin/change.js"
};

static const unsigned char file10[] = {
#embed "../../clients/console/lib/admin/days.js"
};

static const unsigned char file11[] = {
#embed "../../clients/console/lib/admin/feed-page.js"
};

static const unsigned char file12[] = {
#embed "../../clients/console/lib/admin/feed.js"
};

static const unsigned char file13[] = {
#embed "../../clients/console/lib/admin/filters.js"
};

static const unsigned char file14[] = {
#embed "../../clients/console/lib/admin/form-dialog.js"
};

static const unsigned char file15[] = {
#embed "../../clients/console/lib/admin/keyset-list.js"
};

static const unsigned char file16[] = {
#embed "../../clients/console/lib/admin/password-dialog.js"
};

static const unsigned char file17[] = {
#embed "../../clients/console/lib/admin/trouble.js"
};

static const unsigned char file18[] = {
#embed "../../clients/console/lib/audit/page.js"
};

static const unsigned char file19[] = {
#embed "../../clients/console/lib/audit/sentence.js"
};

static const unsigned char file20[] = {
#embed "../../clients/console/lib/card-table.js"
};

static const unsigned char file21[] = {
#embed "../../clients/console/lib/data/cascade.js"
};

static const unsigned char file22[] = {
#embed "../../clients/console/lib/data/catalog.js"
};

static const unsigned char file23[] = {
#embed "../../clients/console/lib/data/project-rows.js"
};

static const unsigned char file24[] = {
#embed "../../clients/console/lib/data/troubles.js"
};

static const unsigned char file25[] = {
#embed "../../clients/console/lib/data/who.js"
};

static const unsigned char file26[] = {
#embed "../../clients/console/lib/data/write.js"
};

static const unsigned char file27[] = {
#embed "../../clients/console/lib/devices/lag.js"
};

static const unsigned char file28[] = {
#embed "../../clients/console/lib/devices/page.js"
};

static const unsigned char file29[] = {
#embed "../../clients/console/lib/devices/table.js"
};

static const unsigned char file30[] = {
#embed "../../clients/console/lib/dialog.js"
};

static const unsigned char file31[] = {
#embed "../../clients/console/lib/edit/add-row.js"
};

static const unsigned char file32[] = {
#embed "../../clients/console/lib/edit/block.js"
};

static const unsigned char file33[] = {
#embed "../../clients/console/lib/edit/control.js"
};

static const unsigned char file34[] = {
#embed "../../clients/console/lib/edit/date-line.js"
};

static const unsigned char file35[] = {
#embed "../../clients/console/lib/edit/delete-row.js"
};

static const unsigned char file36[] = {
#embed "../../clients/console/lib/edit/editor.js"
};

static const unsigned char file37[] = {
#embed "../../clients/console/lib/edit/edits.js"
};

static const unsigned char file38[] = {
#embed "../../clients/console/lib/edit/field-form.js"
};

static const unsigned char file39[] = {
#embed "../../clients/console/lib/edit/goes-with.js"
};

static const unsigned char file40[] = {
#embed "../../clients/console/lib/edit/line.js"
};

static const unsigned char file41[] = {
#embed "../../clients/console/lib/edit/meanwhile.js"
};

static const unsigned char file42[] = {
#embed "../../clients/console/lib/edit/menu.js"
};

static const unsigned char file43[] = {
#embed "../../clients/console/lib/edit/options.js"
};

static const unsigned char file44[] = {
#embed "../../clients/console/lib/edit/pasted.js"
};

static const unsigned char file45[] = {
#embed "../../clients/console/lib/edit/picker.js"
};

static const unsigned char file46[] = {
#embed "../../clients/console/lib/edit/popover.js"
};

static const unsigned char file47[] = {
#embed "../../clients/console/lib/edit/save-asking.js"
};

static const unsigned char file48[] = {
#embed "../../clients/console/lib/edit/undo/back.js"
};

static const unsigned char file49[] = {
#embed "../../clients/console/lib/edit/undo/bars.js"
};

static const unsigned char file50[] = {
#embed "../../clients/console/lib/edit/undo/buttons.js"
};

static const unsigned char file51[] = {
#embed "../../clients/console/lib/edit/undo/keys.js"
};

static const unsigned char file52[] = {
#embed "../../clients/console/lib/edit/undo/later.js"
};

static const unsigned char file53[] = {
#embed "../../clients/console/lib/edit/undo/refusals.js"
};

static const unsigned char file54[] = {
#embed "../../clients/console/lib/edit/undo/report.js"
};

static const unsigned char file55[] = {
#embed "../../clients/console/lib/edit/undo/sentences.js"
};

static const unsigned char file56[] = {
#embed "../../clients/console/lib/edit/undo/shown.js"
};

static const unsigned char file57[] = {
#embed "../../clients/console/lib/edit/undo/stayed.js"
};

static const unsigned char file58[] = {
#embed "../../clients/console/lib/edit/undo/step.js"
};

static const unsigned char file59[] = {
#embed "../../clients/console/lib/edit/undo/turned.js"
};

static const unsigned char file60[] = {
#embed "../../clients/console/lib/edit/undo/waiting.js"
};

static const unsigned char file61[] = {
#embed "../../clients/console/lib/edit/undo/words.js"
};

static const unsigned char file62[] = {
#embed "../../clients/console/lib/elements.js"
};

static const unsigned char file63[] = {
#embed "../../clients/console/lib/explain/page.js"
};

static const unsigned char file64[] = {
#embed "../../clients/console/lib/fields/access.js"
};

static const unsigned char file65[] = {
#embed "../../clients/console/lib/fields/catalog.js"
};

static const unsigned char file66[] = {
#embed "../../clients/console/lib/fields/check.js"
};

static const unsigned char file67[] = {
#embed "../../clients/console/lib/fields/dates.js"
};

static const unsigned char file68[] = {
#embed "../../clients/console/lib/fields/format.js"
};

static const unsigned char file69[] = {
#embed "../../clients/console/lib/fields/kinds.js"
};

static const unsigned char file70[] = {
#embed "../../clients/console/lib/fields/names.js"
};

static const unsigned char file71[] = {
#embed "../../clients/console/lib/fields/parse.js"
};

static const unsigned char file72[] = {
#embed "../../clients/console/lib/fields/row-name.js"
};

static const unsigned char file73[] = {
#embed "../../clients/console/lib/fields/weekdays.js"
};

static const unsigned char file74[] = {
#embed "../../clients/console/lib/files/adding.js"
};

static const unsigned char file75[] = {
#embed "../../clients/console/lib/files/drops.js"
};

static const unsigned char file76[] = {
#embed "../../clients/console/lib/files/item.js"
};

static const unsigned char file77[] = {
#embed "../../clients/console/lib/files/keeper.js"
};

static const unsigned char file78[] = {
#embed "../../clients/console/lib/files/names.js"
};

static const unsigned char file79[] = {
#embed "../../clients/console/lib/files/pixels.js"
};

static const unsigned char file80[] = {
#embed "../../clients/console/lib/files/preview.js"
};

static const unsigned char file81[] = {
#embed "../../clients/console/lib/files/section.js"
};

static const unsigned char file82[] = {
#embed "../../clients/console/lib/files/shown.js"
};

static const unsigned char file83[] = {
#embed "../../clients/console/lib/files/states.js"
};

static const unsigned char file84[] = {
#embed "../../clients/console/lib/grid/cell.js"
};

static const unsigned char file85[] = {
#embed "../../clients/console/lib/grid/clipboard.js"
};

static const unsigned char file86[] = {
#embed "../../clients/console/lib/grid/cursor.js"
};

static const unsigned char file87[] = {
#embed "../../clients/console/lib/grid/filter-row.js"
};

static const unsigned char file88[] = {
#embed "../../clients/console/lib/grid/grid.js"
};

static const unsigned char file89[] = {
#embed "../../clients/console/lib/grid/input.js"
};

static const unsigned char file90[] = {
#embed "../../clients/console/lib/grid/row-model.js"
};

static const unsigned char file91[] = {
#embed "../../clients/console/lib/grid/rows-in-document.js"
};

static const unsigned char file92[] = {
#embed "../../clients/console/lib/grid/tab-text.js"
};

static const unsigned char file93[] = {
#embed "../../clients/console/lib/grid/window.js"
};

static const unsigned char file94[] = {
#embed "../../clients/console/lib/lost/page.js"
};

static const unsigned char file95[] = {
#embed "../../clients/console/lib/members/add-member.js"
};

static const unsigned char file96[] = {
#embed "../../clients/console/lib/members/calls.js"
};

static const unsigned char file97[] = {
#embed "../../clients/console/lib/members/page.js"
};

static const unsigned char file98[] = {
#embed "../../clients/console/lib/members/rules.js"
};

static const unsigned char file99[] = {
#embed "../../clients/console/lib/members/server-rows.js"
};

static const unsigned char file100[] = {
#embed "../../clients/console/lib/notices.js"
};

static const unsigned char file101[] = {
#embed "../../clients/console/lib/now/figures.js"
};

static const unsigned char file102[] = {
#embed "../../clients/console/lib/now/page.js"
};

static const unsigned char file103[] = {
#embed "../../clients/console/lib/now/plot.js"
};

static const unsigned char file104[] = {
#embed "../../clients/console/lib/now/rates.js"
};

static const unsigned char file105[] = {
#embed "../../clients/console/lib/now/verdict.js"
};

static const unsigned char file106[] = {
#embed "../../clients/console/lib/online.js"
};

static const unsigned char file107[] = {
#embed "../../clients/console/lib/pages.js"
};

static const unsigned char file108[] = {
#embed "../../clients/console/lib/people/add-person.js"
};

static const unsigned char file109[] = {
#embed "../../clients/console/lib/people/changes.js"
};

static const unsigned char file110[] = {
#embed "../../clients/console/lib/people/credentials.js"
};

static const unsigned char file111[] = {
#embed "../../clients/console/lib/people/generated.js"
};

static const unsigned char file112[] = {
#embed "../../clients/console/lib/people/memberships.js"
};

static const unsigned char file113[] = {
#embed "../../clients/console/lib/people/names.js"
};

static const unsigned char file114[] = {
#embed "../../clients/console/lib/people/page.js"
};

static const unsigned char file115[] = {
#embed "../../clients/console/lib/people/password-choice.js"
};

static const unsigned char file116[] = {
#embed "../../clients/console/lib/people/person-page.js"
};

static const unsigned char file117[] = {
#embed "../../clients/console/lib/people/search.js"
};

static const unsigned char file118[] = {
#embed "../../clients/console/lib/people/set-password.js"
};

static const unsigned char file119[] = {
#embed "../../clients/console/lib/plan/drawing/labels.js"
};

static const unsigned char file120[] = {
#embed "../../clients/console/lib/plan/drawing/paint-arrows.js"
};

static const unsigned char file121[] = {
#embed "../../clients/console/lib/plan/drawing/paint-bars.js"
};

static const unsigned char file122[] = {
#embed "../../clients/console/lib/plan/drawing/paint-days.js"
};

static const unsigned char file123[] = {
#embed "../../clients/console/lib/plan/drawing/paint.js"
};

static const unsigned char file124[] = {
#embed "../../clients/console/lib/plan/drawing/palette.js"
};

static const unsigned char file125[] = {
#embed "../../clients/console/lib/plan/editing.js"
};

static const unsigned char file126[] = {
#embed "../../clients/console/lib/plan/followers/ask-followers.js"
};

static const unsigned char file127[] = {
#embed "../../clients/console/lib/plan/followers/followers.js"
};

static const unsigned char file128[] = {
#embed "../../clients/console/lib/plan/followers/words.js"
};

static const unsigned char file129[] = {
#embed "../../clients/console/lib/plan/links/link-box.js"
};

static const unsigned char file130[] = {
#embed "../../clients/console/lib/plan/links/link-control.js"
};

static const unsigned char file131[] = {
#embed "../../clients/console/lib/plan/links/link-edits.js"
};

static const unsigned char file132[] = {
#embed "../../clients/console/lib/plan/links/link-lists.js"
};

static const unsigned char file133[] = {
#embed "../../clients/console/lib/plan/links/link-to.js"
};

static const unsigned char file134[] = {
#embed "../../clients/console/lib/plan/links/words.js"
};

static const unsigned char file135[] = {
#embed "../../clients/console/lib/plan/list/cell-edits.js"
};

static const unsigned char file136[] = {
#embed "../../clients/console/lib/plan/list/cells.js"
};

static const unsigned char file137[] = {
#embed "../../clients/console/lib/plan/list/clipboard.js"
};

static const unsigned char file138[] = {
#embed "../../clients/console/lib/plan/list/columns.js"
};

static const unsigned char file139[] = {
#embed "../../clients/console/lib/plan/list/keys.js"
};

static const unsigned char file140[] = {
#embed "../../clients/console/lib/plan/list/list-control.js"
};

static const unsigned char file141[] = {
#embed "../../clients/console/lib/plan/list/plan-keys.js"
};

static const unsigned char file142[] = {
#embed "../../clients/console/lib/plan/list/row-drag.js"
};

static const unsigned char file143[] = {
#embed "../../clients/console/lib/plan/list/row-list.js"
};

static const unsigned char file144[] = {
#embed "../../clients/console/lib/plan/list/structure.js"
};

static const unsigned char file145[] = {
#embed "../../clients/console/lib/plan/list/typing.js"
};

static const unsigned char file146[] = {
#embed "../../clients/console/lib/plan/model/bars.js"
};

static const unsigned char file147[] = {
#embed "../../clients/console/lib/plan/model/days.js"
};

static const unsigned char file148[] = {
#embed "../../clients/console/lib/plan/model/links.js"
};

static const unsigned char file149[] = {
#embed "../../clients/console/lib/plan/model/plan-fields.js"
};

static const unsigned char file150[] = {
#embed "../../clients/console/lib/plan/model/plan.js"
};

static const unsigned char file151[] = {
#embed "../../clients/console/lib/plan/model/scheduler.js"
};

static const unsigned char file152[] = {
#embed "../../clients/console/lib/plan/model/tree.js"
};

static const unsigned char file153[] = {
#embed "../../clients/console/lib/plan/none.js"
};

static const unsigned char file154[] = {
#embed "../../clients/console/lib/plan/page.js"
};

static const unsigned char file155[] = {
#embed "../../clients/console/lib/plan/panel/details.js"
};

static const unsigned char file156[] = {
#embed "../../clients/console/lib/plan/panel/fields.js"
};

static const unsigned char file157[] = {
#embed "../../clients/console/lib/plan/panel/lazy-details.js"
};

static const unsigned char file158[] = {
#embed "../../clients/console/lib/plan/panel/lazy-files.js"
};

static const unsigned char file159[] = {
#embed "../../clients/console/lib/plan/panel/lazy-history.js"
};

static const unsigned char file160[] = {
#embed "../../clients/console/lib/plan/panel/picked-field.js"
};

static const unsigned char file161[] = {
#embed "../../clients/console/lib/plan/paste/heads.js"
};

static const unsigned char file162[] = {
#embed "../../clients/console/lib/plan/paste/pasting.js"
};

static const unsigned char file163[] = {
#embed "../../clients/console/lib/plan/paste/plan-block.js"
};

static const unsigned char file164[] = {
#embed "../../clients/console/lib/plan/paste/preview.js"
};

static const unsigned char file165[] = {
#embed "../../clients/console/lib/plan/places.js"
};

static const unsigned char file166[] = {
#embed "../../clients/console/lib/plan/plan-data.js"
};

static const unsigned char file167[] = {
#embed "../../clients/console/lib/plan/plan-page.js"
};

static const unsigned char file168[] = {
#embed "../../clients/console/lib/plan/print/print-view.js"
};

static const unsigned char file169[] = {
#embed "../../clients/console/lib/plan/print/printing.js"
};

static const unsigned char file170[] = {
#embed "../../clients/console/lib/plan/progress.js"
};

static const unsigned char file171[] = {
#embed "../../clients/console/lib/plan/texts.js"
};

static const unsigned char file172[] = {
#embed "../../clients/console/lib/plan/toolbar.js"
};

static const unsigned char file173[] = {
#embed "../../clients/console/lib/plan/troubles.js"
};

static const unsigned char file174[] = {
#embed "../../clients/console/lib/plan/view/arrows.js"
};

static const unsigned char file175[] = {
#embed "../../clients/console/lib/plan/view/chart.js"
};

static const unsigned char file176[] = {
#embed "../../clients/console/lib/plan/view/drag.js"
};

static const unsigned char file177[] = {
#embed "../../clients/console/lib/plan/view/geometry.js"
};

static const unsigned char file178[] = {
#embed "../../clients/console/lib/plan/view/link-handles.js"
};

static const unsigned char file179[] = {
#embed "../../clients/console/lib/plan/view/pointer.js"
};

static const unsigned char file180[] = {
#embed "../../clients/console/lib/plan/view/ring.js"
};

static const unsigned char file181[] = {
#embed "../../clients/console/lib/plan/view/time-scale.js"
};

static const unsigned char file182[] = {
#embed "../../clients/console/lib/plan/view/tip.js"
};

static const unsigned char file183[] = {
#embed "../../clients/console/lib/projects/page.js"
};

static const unsigned char file184[] = {
#embed "../../clients/console/lib/query/arranged.js"
};

static const unsigned char file185[] = {
#embed "../../clients/console/lib/query/choice.js"
};

static const unsigned char file186[] = {
#embed "../../clients/console/lib/query/columns.js"
};

static const unsigned char file187[] = {
#embed "../../clients/console/lib/query/filter.js"
};

static const unsigned char file188[] = {
#embed "../../clients/console/lib/query/query.js"
};

static const unsigned char file189[] = {
#embed "../../clients/console/lib/query/sort.js"
};

static const unsigned char file190[] = {
#embed "../../clients/console/lib/routes.js"
};

static const unsigned char file191[] = {
#embed "../../clients/console/lib/row/fields.js"
};

static const unsigned char file192[] = {
#embed "../../clients/console/lib/row/history.js"
};

static const unsigned char file193[] = {
#embed "../../clients/console/lib/row/page.js"
};

static const unsigned char file194[] = {
#embed "../../clients/console/lib/row/references.js"
};

static const unsigned char file195[] = {
#embed "../../clients/console/lib/row/type-text.js"
};

static const unsigned char file196[] = {
#embed "../../clients/console/lib/shell/context.js"
};

static const unsigned char file197[] = {
#embed "../../clients/console/lib/shell/files.js"
};

static const unsigned char file198[] = {
#embed "../../clients/console/lib/shell/frame.js"
};

static const unsigned char file199[] = {
#embed "../../clients/console/lib/shell/header.js"
};

static const unsigned char file200[] = {
#embed "../../clients/console/lib/shell/insecure.js"
};

static const unsigned char file201[] = {
#embed "../../clients/console/lib/shell/mark.js"
};

static const unsigned char file202[] = {
#embed "../../clients/console/lib/shell/one-window.js"
};

static const unsigned char file203[] = {
#embed "../../clients/console/lib/shell/online-only.js"
};

static const unsigned char file204[] = {
#embed "../../clients/console/lib/shell/router.js"
};

static const unsigned char file205[] = {
#embed "../../clients/console/lib/shell/server-pages.js"
};

static const unsigned char file206[] = {
#embed "../../clients/console/lib/shell/session-banner.js"
};

static const unsigned char file207[] = {
#embed "../../clients/console/lib/shell/sign-in.js"
};

static const unsigned char file208[] = {
#embed "../../clients/console/lib/shell/sign-out.js"
};

static const unsigned char file209[] = {
#embed "../../clients/console/lib/shell/start.js"
};

static const unsigned char file210[] = {
#embed "../../clients/console/lib/shell/style-sheet.js"
};

static const unsigned char file211[] = {
#embed "../../clients/console/lib/shell/sync-state.js"
};

static const unsigned char file212[] = {
#embed "../../clients/console/lib/shell/sync-summary.js"
};

static const unsigned char file213[] = {
#embed "../../clients/console/lib/shell/theme.js"
};

static const unsigned char file214[] = {
#embed "../../clients/console/lib/shell/whole.js"
};

static const unsigned char file215[] = {
#embed "../../clients/console/lib/soon.js"
};

static const unsigned char file216[] = {
#embed "../../clients/console/lib/storage/backups.js"
};

static const unsigned char file217[] = {
#embed "../../clients/console/lib/storage/checks.js"
};

static const unsigned char file218[] = {
#embed "../../clients/console/lib/storage/page.js"
};

static const unsigned char file219[] = {
#embed "../../clients/console/lib/storage/polled.js"
};

static const unsigned char file220[] = {
#embed "../../clients/console/lib/storage/projects.js"
};

static const unsigned char file221[] = {
#embed "../../clients/console/lib/storage/sort.js"
};

static const unsigned char file222[] = {
#embed "../../clients/console/lib/storage/words.js"
};

static const unsigned char file223[] = {
#embed "../../clients/console/lib/table/cell-edits.js"
};

static const unsigned char file224[] = {
#embed "../../clients/console/lib/table/column-menu.js"
};

static const unsigned char file225[] = {
#embed "../../clients/console/lib/table/key-help.js"
};

static const unsigned char file226[] = {
#embed "../../clients/console/lib/table/nothing.js"
};

static const unsigned char file227[] = {
#embed "../../clients/console/lib/table/page.js"
};

static const unsigned char file228[] = {
#embed "../../clients/console/lib/table/row-menu.js"
};

static const unsigned char file229[] = {
#embed "../../clients/console/lib/table/table-rows.js"
};

static const unsigned char file230[] = {
#embed "../../clients/console/lib/table/table.js"
};

static const unsigned char file231[] = {
#embed "../../clients/console/lib/table/tabs.js"
};

static const unsigned char file232[] = {
#embed "../../clients/console/lib/table/toolbar.js"
};

static const unsigned char file233[] = {
#embed "../../clients/console/lib/times.js"
};

static const unsigned char file234[] = {
#embed "../../clients/console/lib/unsent/actions.js"
};

static const unsigned char file235[] = {
#embed "../../clients/console/lib/unsent/again.js"
};

static const unsigned char file236[] = {
#embed "../../clients/console/lib/unsent/cards.js"
};

static const unsigned char file237[] = {
#embed "../../clients/console/lib/unsent/files.js"
};

static const unsigned char file238[] = {
#embed "../../clients/console/lib/unsent/inbox.js"
};

static const unsigned char file239[] = {
#embed "../../clients/console/lib/unsent/look.js"
};

static const unsigned char file240[] = {
#embed "../../clients/console/lib/unsent/page.js"
};

static const unsigned char file241[] = {
#embed "../../clients/console/lib/unsent/reasons.js"
};

static const unsigned char file242[] = {
#embed "../../clients/console/lib/unsent/strip.js"
};

static const unsigned char file243[] = {
#embed "../../clients/console/lib/unsent/twice.js"
};

static const unsigned char file244[] = {
#embed "../../clients/console/lib/unsent/values.js"
};

static const unsigned char file245[] = {
#embed "../../clients/console/plan.css"
};

static const unsigned char file246[] = {
#embed "../../clients/console/rows.css"
};

static const unsigned char file247[] = {
#embed "../../clients/console/sheets.css"
};

static const unsigned char file248[] = {
#embed "../../clients/console/shell.css"
};

static const unsigned char file249[] = {
#embed "../../clients/console/style.css"
};

static const unsigned char file250[] = {
#embed "../../clients/console/tables.css"
};

static const unsigned char file251[] = {
#embed "../../clients/console/theme.js"
};

static const unsigned char file252[] = {
#embed "../../clients/web/index.js"
};

static const unsigned char file253[] = {
#embed "../../clients/web/lib/common/abort.js"
};

static const unsigned char file254[] = {
#embed "../../clients/web/lib/common/caller.js"
};

static const unsigned char file255[] = {
#embed "../../clients/web/lib/common/clock.js"
};

static const unsigned char file256[] = {
#embed "../../clients/web/lib/common/device.js"
};

static const unsigned char file257[] = {
#embed "../../clients/web/lib/common/digest.js"
};

static const unsigned char file258[] = {
#embed "../../clients/web/lib/common/error.js"
};

static const unsigned char file259[] = {
#embed "../../clients/web/lib/common/events.js"
};

static const unsigned char file260[] = {
#embed "../../clients/web/lib/common/files/ahead.js"
};

static const unsigned char file261[] = {
#embed "../../clients/web/lib/common/files/asked.js"
};

static const unsigned char file262[] = {
#embed "../../clients/web/lib/common/files/named.js"
};

static const unsigned char file263[] = {
#embed "../../clients/web/lib/common/files/readings.js"
};

static const unsigned char file264[] = {
#embed "../../clients/web/lib/common/files/requests.js"
};

static const unsigned char file265[] = {
#embed "../../clients/web/lib/common/files/sender.js"
};

static const unsigned char file266[] = {
#embed "../../clients/web/lib/common/files/types.js"
};

static const unsigned char file267[] = {
#embed "../../clients/web/lib/common/filter-text.js"
};

static const unsigned char file268[] = {
#embed "../../clients/web/lib/common/foreground.js"
};

static const unsigned char file269[] = {
#embed "../../clients/web/lib/common/held.js"
};

static const unsigned char file270[] = {
#embed "../../clients/web/lib/common/jitter.js"
};

static const unsigned char file271[] = {
#embed "../../clients/web/lib/common/listening.js"
};

static const unsigned char file272[] = {
#embed "../../clients/web/lib/common/one-at-a-time.js"
};

static const unsigned char file273[] = {
#embed "../../clients/web/lib/common/options.js"
};

static const unsigned char file274[] = {
#embed "../../clients/web/lib/common/pages.js"
};

static const unsigned char file275[] = {
#embed "../../clients/web/lib/common/part-filter.js"
};

static const unsigned char file276[] = {
#embed "../../clients/web/lib/common/pattern/compiler.js"
};

static const unsigned char file277[] = {
#embed "../../clients/web/lib/common/pattern/parser.js"
};

static const unsigned char file278[] = {
#embed "../../clients/web/lib/common/pattern/pattern.js"
};

static const unsigned char file279[] = {
#embed "../../clients/web/lib/common/pattern/sets.js"
};

static const unsigned char file280[] = {
#embed "../../clients/web/lib/common/pulls.js"
};

static const unsigned char file281[] = {
#embed "../../clients/web/lib/common/repeated.js"
};

static const unsigned char file282[] = {
#embed "../../clients/web/lib/common/scope.js"
};

static const unsigned char file283[] = {
#embed "../../clients/web/lib/common/stream.js"
};

static const unsigned char file284[] = {
#embed "../../clients/web/lib/common/transport.js"
};

static const unsigned char file285[] = {
#embed "../../clients/web/lib/common/trouble.js"
};

static const unsigned char file286[] = {
#embed "../../clients/web/lib/common/uuid.js"
};

static const unsigned char file287[] = {
#embed "../../clients/web/lib/common/values/doubts.js"
};

static const unsigned char file288[] = {
#embed "../../clients/web/lib/common/values/formats.js"
};

static const unsigned char file289[] = {
#embed "../../clients/web/lib/common/values/judge.js"
};

static const unsigned char file290[] = {
#embed "../../clients/web/lib/common/values/judging.js"
};

static const unsigned char file291[] = {
#embed "../../clients/web/lib/common/values/text.js"
};

static const unsigned char file292[] = {
#embed "../../clients/web/lib/common/values/value.js"
};

static const unsigned char file293[] = {
#embed "../../clients/web/lib/files/ahead-list.js"
};

static const unsigned char file294[] = {
#embed "../../clients/web/lib/files/beside.js"
};

static const unsigned char file295[] = {
#embed "../../clients/web/lib/files/bytes.js"
};

static const unsigned char file296[] = {
#embed "../../clients/web/lib/files/copy-files.js"
};

static const unsigned char file297[] = {
#embed "../../clients/web/lib/files/download.js"
};

static const unsigned char file298[] = {
#embed "../../clients/web/lib/files/index.js"
};

static const unsigned char file299[] = {
#embed "../../clients/web/lib/files/send-queue.js"
};

static const unsigned char file300[] = {
#embed "../../clients/web/lib/files/sent-again.js"
};

static const unsigned char file301[] = {
#embed "../../clients/web/lib/files/stored.js"
};

static const unsigned char file302[] = {
#embed "../../clients/web/lib/indexes/answer.js"
};

static const unsigned char file303[] = {
#embed "../../clients/web/lib/indexes/entries.js"
};

static const unsigned char file304[] = {
#embed "../../clients/web/lib/indexes/index.js"
};

static const unsigned char file305[] = {
#embed "../../clients/web/lib/indexes/keys.js"
};

static const unsigned char file306[] = {
#embed "../../clients/web/lib/indexes/naming.js"
};

static const unsigned char file307[] = {
#embed "../../clients/web/lib/indexes/plan.js"
};

static const unsigned char file308[] = {
#embed "../../clients/web/lib/indexes/question.js"
};

static const unsigned char file309[] = {
#embed "../../clients/web/lib/order/digits.js"
};

static const unsigned char file310[] = {
#embed "../../clients/web/lib/order/index.js"
};

static const unsigned char file311[] = {
#embed "../../clients/web/lib/order/key.js"
};

static const unsigned char file312[] = {
#embed "../../clients/web/lib/order/placing.js"
};

static const unsigned char file313[] = {
#embed "../../clients/web/lib/parts/index.js"
};

static const unsigned char file314[] = {
#embed "../../clients/web/lib/parts/named.js"
};

static const unsigned char file315[] = {
#embed "../../clients/web/lib/parts/outside.js"
};

static const unsigned char file316[] = {
#embed "../../clients/web/lib/parts/part-asked.js"
};

static const unsigned char file317[] = {
#embed "../../clients/web/lib/parts/stored.js"
};

static const unsigned char file318[] = {
#embed "../../clients/web/lib/rows/answer.js"
};

static const unsigned char file319[] = {
#embed "../../clients/web/lib/rows/order.js"
};

static const unsigned char file320[] = {
#embed "../../clients/web/lib/rows/page.js"
};

static const unsigned char file321[] = {
#embed "../../clients/web/lib/rows/record.js"
};

static const unsigned char file322[] = {
#embed "../../clients/web/lib/rows/restored.js"
};

static const unsigned char file323[] = {
#embed "../../clients/web/lib/rows/schema.js"
};

static const unsigned char file324[] = {
#embed "../../clients/web/lib/rows/sent.js"
};

static const unsigned char file325[] = {
#embed "../../clients/web/lib/rows/settlement.js"
};

static const unsigned char file326[] = {
#embed "../../clients/web/lib/rows/values.js"
};

static const unsigned char file327[] = {
#embed "../../clients/web/lib/schedule/days.js"
};

static const unsigned char file328[] = {
#embed "../../clients/web/lib/schedule/followers.js"
};

static const unsigned char file329[] = {
#embed "../../clients/web/lib/schedule/index.js"
};

static const unsigned char file330[] = {
#embed "../../clients/web/lib/schedule/leaves.js"
};

static const unsigned char file331[] = {
#embed "../../clients/web/lib/schedule/network.js"
};

static const unsigned char file332[] = {
#embed "../../clients/web/lib/schedule/passes.js"
};

static const unsigned char file333[] = {
#embed "../../clients/web/lib/schedule/schedule.js"
};

static const unsigned char file334[] = {
#embed "../../clients/web/lib/schedule/working-days.js"
};

static const unsigned char file335[] = {
#embed "../../clients/web/lib/store/apply.js"
};

static const unsigned char file336[] = {
#embed "../../clients/web/lib/store/batches.js"
};

static const unsigned char file337[] = {
#embed "../../clients/web/lib/store/change.js"
};

static const unsigned char file338[] = {
#embed "../../clients/web/lib/store/database.js"
};

static const unsigned char file339[] = {
#embed "../../clients/web/lib/store/drain-end.js"
};

static const unsigned char file340[] = {
#embed "../../clients/web/lib/store/edit.js"
};

static const unsigned char file341[] = {
#embed "../../clients/web/lib/store/files.js"
};

static const unsigned char file342[] = {
#embed "../../clients/web/lib/store/forget.js"
};

static const unsigned char file343[] = {
#embed "../../clients/web/lib/store/judging.js"
};

static const unsigned char file344[] = {
#embed "../../clients/web/lib/store/kept.js"
};

static const unsigned char file345[] = {
#embed "../../clients/web/lib/store/next-batch.js"
};

static const unsigned char file346[] = {
#embed "../../clients/web/lib/store/owner.js"
};

static const unsigned char file347[] = {
#embed "../../clients/web/lib/store/replica.js"
};

static const unsigned char file348[] = {
#embed "../../clients/web/lib/store/rows.js"
};

static const unsigned char file349[] = {
#embed "../../clients/web/lib/store/settle.js"
};

static const unsigned char file350[] = {
#embed "../../clients/web/lib/store/state.js"
};

static const unsigned char file351[] = {
#embed "../../clients/web/lib/store/transaction.js"
};

static const unsigned char file352[] = {
#embed "../../clients/web/lib/store/unit.js"
};

static const unsigned char file353[] = {
#embed "../../clients/web/lib/sync/inbox.js"
};

static const unsigned char file354[] = {
#embed "../../clients/web/lib/sync/pull-loop.js"
};

static const unsigned char file355[] = {
#embed "../../clients/web/lib/sync/push-loop.js"
};

static const unsigned char file356[] = {
#embed "../../clients/web/lib/sync/syncer.js"
};

static const unsigned char file357[] = {
#embed "../../clients/web/lib/sync/whole.js"
};

static const unsigned char file358[] = {
#embed "../../clients/web/lib/window/client.js"
};

static const unsigned char file359[] = {
#embed "../../clients/web/lib/window/copy-name.js"
};

static const unsigned char file360[] = {
#embed "../../clients/web/lib/window/files.js"
};

static const unsigned char file361[] = {
#embed "../../clients/web/lib/window/hub.js"
};

static const unsigned char file362[] = {
#embed "../../clients/web/lib/window/leader.js"
};

static const unsigned char file363[] = {
#embed "../../clients/web/lib/window/line.js"
};

static const unsigned char file364[] = {
#embed "../../clients/web/lib/window/live.js"
};

static const unsigned char file365[] = {
#embed "../../clients/web/lib/window/parts.js"
};

static const unsigned char file366[] = {
#embed "../../clients/web/lib/window/sessions.js"
};

static const unsigned char file367[] = {
#embed "../../clients/web/lib/window/status.js"
};

static const unsigned char file368[] = {
#embed "../../clients/web/lib/window/tokens.js"
};

static const unsigned char file369[] = {
#embed "../../clients/web/lib/window/windows.js"
};

static const unsigned char file370[] = {
#embed "../../clients/console/worker.js"
};

static const struct console_file files[] = {
    {"admin.css", file0, sizeof file0},
    {"app.js", file1, sizeof file1},
    {"files.css", file2, sizeof file2},
    {"icon.svg", file3, sizeof file3},
    {"index.html", file4, sizeof file4},
    {"lib/account/page.js", file5, sizeof file5},
    {"lib/account/password.js", file6, sizeof file6},
    {"lib/account/show-once.js", file7, sizeof file7},
    {"lib/account/tokens.js", file8, sizeof file8},
    {"lib/admin/change.js", file9, sizeof file9},
    {"lib/admin/days.js", file10, sizeof file10},
    {"lib/admin/feed-page.js", file11, sizeof file11},
    {"lib/admin/feed.js", file12, sizeof file12},
    {"lib/admin/filters.js", file13, sizeof file13},
    {"lib/admin/form-dialog.js", file14, sizeof file14},
    {"lib/admin/keyset-list.js", file15, sizeof file15},
    {"lib/admin/password-dialog.js", file16, sizeof file16},
    {"lib/admin/trouble.js", file17, sizeof file17},
    {"lib/audit/page.js", file18, sizeof file18},
    {"lib/audit/sentence.js", file19, sizeof file19},
    {"lib/card-table.js", file20, sizeof file20},
    {"lib/data/cascade.js", file21, sizeof file21},
    {"lib/data/catalog.js", file22, sizeof file22},
    {"lib/data/project-rows.js", file23, sizeof file23},
    {"lib/data/troubles.js", file24, sizeof file24},
    {"lib/data/who.js", file25, sizeof file25},
    {"lib/data/write.js", file26, sizeof file26},
    {"lib/devices/lag.js", file27, sizeof file27},
    {"lib/devices/page.js", file28, sizeof file28},
    {"lib/devices/table.js", file29, sizeof file29},
    {"lib/dialog.js", file30, sizeof file30},
    {"lib/edit/add-row.js", file31, sizeof file31},
    {"lib/edit/block.js", file32, sizeof file32},
    {"lib/edit/control.js", file33, sizeof file33},
    {"lib/edit/date-line.js", file34, sizeof file34},
    {"lib/edit/delete-row.js", file35, sizeof file35},
    {"lib/edit/editor.js", file36, sizeof file36},
    {"lib/edit/edits.js", file37, sizeof file37},
    {"lib/edit/field-form.js", file38, sizeof file38},
    {"lib/edit/goes-with.js", file39, sizeof file39},
    {"lib/edit/line.js", file40, sizeof file40},
    {"lib/edit/meanwhile.js", file41, sizeof file41},
    {"lib/edit/menu.js", file42, sizeof file42},
    {"lib/edit/options.js", file43, sizeof file43},
    {"lib/edit/pasted.js", file44, sizeof file44},
    {"lib/edit/picker.js", file45, sizeof file45},
    {"lib/edit/popover.js", file46, sizeof file46},
    {"lib/edit/save-asking.js", file47, sizeof file47},
    {"lib/edit/undo/back.js", file48, sizeof file48},
    {"lib/edit/undo/bars.js", file49, sizeof file49},
    {"lib/edit/undo/buttons.js", file50, sizeof file50},
    {"lib/edit/undo/keys.js", file51, sizeof file51},
    {"lib/edit/undo/later.js", file52, sizeof file52},
    {"lib/edit/undo/refusals.js", file53, sizeof file53},
    {"lib/edit/undo/report.js", file54, sizeof file54},
    {"lib/edit/undo/sentences.js", file55, sizeof file55},
    {"lib/edit/undo/shown.js", file56, sizeof file56},
    {"lib/edit/undo/stayed.js", file57, sizeof file57},
    {"lib/edit/undo/step.js", file58, sizeof file58},
    {"lib/edit/undo/turned.js", file59, sizeof file59},
    {"lib/edit/undo/waiting.js", file60, sizeof file60},
    {"lib/edit/undo/words.js", file61, sizeof file61},
    {"lib/elements.js", file62, sizeof file62},
    {"lib/explain/page.js", file63, sizeof file63},
    {"lib/fields/access.js", file64, sizeof file64},
    {"lib/fields/catalog.js", file65, sizeof file65},
    {"lib/fields/check.js", file66, sizeof file66},
    {"lib/fields/dates.js", file67, sizeof file67},
    {"lib/fields/format.js", file68, sizeof file68},
    {"lib/fields/kinds.js", file69, sizeof file69},
    {"lib/fields/names.js", file70, sizeof file70},
    {"lib/fields/parse.js", file71, sizeof file71},
    {"lib/fields/row-name.js", file72, sizeof file72},
    {"lib/fields/weekdays.js", file73, sizeof file73},
    {"lib/files/adding.js", file74, sizeof file74},
    {"lib/files/drops.js", file75, sizeof file75},
    {"lib/files/item.js", file76, sizeof file76},
    {"lib/files/keeper.js", file77, sizeof file77},
    {"lib/files/names.js", file78, sizeof file78},
    {"lib/files/pixels.js", file79, sizeof file79},
    {"lib/files/preview.js", file80, sizeof file80},
    {"lib/files/section.js", file81, sizeof file81},
    {"lib/files/shown.js", file82, sizeof file82},
    {"lib/files/states.js", file83, sizeof file83},
    {"lib/grid/cell.js", file84, sizeof file84},
    {"lib/grid/clipboard.js", file85, sizeof file85},
    {"lib/grid/cursor.js", file86, sizeof file86},
    {"lib/grid/filter-row.js", file87, sizeof file87},
    {"lib/grid/grid.js", file88, sizeof file88},
    {"lib/grid/input.js", file89, sizeof file89},
    {"lib/grid/row-model.js", file90, sizeof file90},
    {"lib/grid/rows-in-document.js", file91, sizeof file91},
    {"lib/grid/tab-text.js", file92, sizeof file92},
    {"lib/grid/window.js", file93, sizeof file93},
    {"lib/lost/page.js", file94, sizeof file94},
    {"lib/members/add-member.js", file95, sizeof file95},
    {"lib/members/calls.js", file96, sizeof file96},
    {"lib/members/page.js", file97, sizeof file97},
    {"lib/members/rules.js", file98, sizeof file98},
    {"lib/members/server-rows.js", file99, sizeof file99},
    {"lib/notices.js", file100, sizeof file100},
    {"lib/now/figures.js", file101, sizeof file101},
    {"lib/now/page.js", file102, sizeof file102},
    {"lib/now/plot.js", file103, sizeof file103},
    {"lib/now/rates.js", file104, sizeof file104},
    {"lib/now/verdict.js", file105, sizeof file105},
    {"lib/online.js", file106, sizeof file106},
    {"lib/pages.js", file107, sizeof file107},
    {"lib/people/add-person.js", file108, sizeof file108},
    {"lib/people/changes.js", file109, sizeof file109},
    {"lib/people/credentials.js", file110, sizeof file110},
    {"lib/people/generated.js", file111, sizeof file111},
    {"lib/people/memberships.js", file112, sizeof file112},
    {"lib/people/names.js", file113, sizeof file113},
    {"lib/people/page.js", file114, sizeof file114},
    {"lib/people/password-choice.js", file115, sizeof file115},
    {"lib/people/person-page.js", file116, sizeof file116},
    {"lib/people/search.js", file117, sizeof file117},
    {"lib/people/set-password.js", file118, sizeof file118},
    {"lib/plan/drawing/labels.js", file119, sizeof file119},
    {"lib/plan/drawing/paint-arrows.js", file120, sizeof file120},
    {"lib/plan/drawing/paint-bars.js", file121, sizeof file121},
    {"lib/plan/drawing/paint-days.js", file122, sizeof file122},
    {"lib/plan/drawing/paint.js", file123, sizeof file123},
    {"lib/plan/drawing/palette.js", file124, sizeof file124},
    {"lib/plan/editing.js", file125, sizeof file125},
    {"lib/plan/followers/ask-followers.js", file126, sizeof file126},
    {"lib/plan/followers/followers.js", file127, sizeof file127},
    {"lib/plan/followers/words.js", file128, sizeof file128},
    {"lib/plan/links/link-box.js", file129, sizeof file129},
    {"lib/plan/links/link-control.js", file130, sizeof file130},
    {"lib/plan/links/link-edits.js", file131, sizeof file131},
    {"lib/plan/links/link-lists.js", file132, sizeof file132},
    {"lib/plan/links/link-to.js", file133, sizeof file133},
    {"lib/plan/links/words.js", file134, sizeof file134},
    {"lib/plan/list/cell-edits.js", file135, sizeof file135},
    {"lib/plan/list/cells.js", file136, sizeof file136},
    {"lib/plan/list/clipboard.js", file137, sizeof file137},
    {"lib/plan/list/columns.js", file138, sizeof file138},
    {"lib/plan/list/keys.js", file139, sizeof file139},
    {"lib/plan/list/list-control.js", file140, sizeof file140},
    {"lib/plan/list/plan-keys.js", file141, sizeof file141},
    {"lib/plan/list/row-drag.js", file142, sizeof file142},
    {"lib/plan/list/row-list.js", file143, sizeof file143},
    {"lib/plan/list/structure.js", file144, sizeof file144},
    {"lib/plan/list/typing.js", file145, sizeof file145},
    {"lib/plan/model/bars.js", file146, sizeof file146},
    {"lib/plan/model/days.js", file147, sizeof file147},
    {"lib/plan/model/links.js", file148, sizeof file148},
    {"lib/plan/model/plan-fields.js", file149, sizeof file149},
    {"lib/plan/model/plan.js", file150, sizeof file150},
    {"lib/plan/model/scheduler.js", file151, sizeof file151},
    {"lib/plan/model/tree.js", file152, sizeof file152},
    {"lib/plan/none.js", file153, sizeof file153},
    {"lib/plan/page.js", file154, sizeof file154},
    {"lib/plan/panel/details.js", file155, sizeof file155},
    {"lib/plan/panel/fields.js", file156, sizeof file156},
    {"lib/plan/panel/lazy-details.js", file157, sizeof file157},
    {"lib/plan/panel/lazy-files.js", file158, sizeof file158},
    {"lib/plan/panel/lazy-history.js", file159, sizeof file159},
    {"lib/plan/panel/picked-field.js", file160, sizeof file160},
    {"lib/plan/paste/heads.js", file161, sizeof file161},
    {"lib/plan/paste/pasting.js", file162, sizeof file162},
    {"lib/plan/paste/plan-block.js", file163, sizeof file163},
    {"lib/plan/paste/preview.js", file164, sizeof file164},
    {"lib/plan/places.js", file165, sizeof file165},
    {"lib/plan/plan-data.js", file166, sizeof file166},
    {"lib/plan/plan-page.js", file167, sizeof file167},
    {"lib/plan/print/print-view.js", file168, sizeof file168},
    {"lib/plan/print/printing.js", file169, sizeof file169},
    {"lib/plan/progress.js", file170, sizeof file170},
    {"lib/plan/texts.js", file171, sizeof file171},
    {"lib/plan/toolbar.js", file172, sizeof file172},
    {"lib/plan/troubles.js", file173, sizeof file173},
    {"lib/plan/view/arrows.js", file174, sizeof file174},
    {"lib/plan/view/chart.js", file175, sizeof file175},
    {"lib/plan/view/drag.js", file176, sizeof file176},
    {"lib/plan/view/geometry.js", file177, sizeof file177},
    {"lib/plan/view/link-handles.js", file178, sizeof file178},
    {"lib/plan/view/pointer.js", file179, sizeof file179},
    {"lib/plan/view/ring.js", file180, sizeof file180},
    {"lib/plan/view/time-scale.js", file181, sizeof file181},
    {"lib/plan/view/tip.js", file182, sizeof file182},
    {"lib/projects/page.js", file183, sizeof file183},
    {"lib/query/arranged.js", file184, sizeof file184},
    {"lib/query/choice.js", file185, sizeof file185},
    {"lib/query/columns.js", file186, sizeof file186},
    {"lib/query/filter.js", file187, sizeof file187},
    {"lib/query/query.js", file188, sizeof file188},
    {"lib/query/sort.js", file189, sizeof file189},
    {"lib/routes.js", file190, sizeof file190},
    {"lib/row/fields.js", file191, sizeof file191},
    {"lib/row/history.js", file192, sizeof file192},
    {"lib/row/page.js", file193, sizeof file193},
    {"lib/row/references.js", file194, sizeof file194},
    {"lib/row/type-text.js", file195, sizeof file195},
    {"lib/shell/context.js", file196, sizeof file196},
    {"lib/shell/files.js", file197, sizeof file197},
    {"lib/shell/frame.js", file198, sizeof file198},
    {"lib/shell/header.js", file199, sizeof file199},
    {"lib/shell/insecure.js", file200, sizeof file200},
    {"lib/shell/mark.js", file201, sizeof file201},
    {"lib/shell/one-window.js", file202, sizeof file202},
    {"lib/shell/online-only.js", file203, sizeof file203},
    {"lib/shell/router.js", file204, sizeof file204},
    {"lib/shell/server-pages.js", file205, sizeof file205},
    {"lib/shell/session-banner.js", file206, sizeof file206},
    {"lib/shell/sign-in.js", file207, sizeof file207},
    {"lib/shell/sign-out.js", file208, sizeof file208},
    {"lib/shell/start.js", file209, sizeof file209},
    {"lib/shell/style-sheet.js", file210, sizeof file210},
    {"lib/shell/sync-state.js", file211, sizeof file211},
    {"lib/shell/sync-summary.js", file212, sizeof file212},
    {"lib/shell/theme.js", file213, sizeof file213},
    {"lib/shell/whole.js", file214, sizeof file214},
    {"lib/soon.js", file215, sizeof file215},
    {"lib/storage/backups.js", file216, sizeof file216},
    {"lib/storage/checks.js", file217, sizeof file217},
    {"lib/storage/page.js", file218, sizeof file218},
    {"lib/storage/polled.js", file219, sizeof file219},
    {"lib/storage/projects.js", file220, sizeof file220},
    {"lib/storage/sort.js", file221, sizeof file221},
    {"lib/storage/words.js", file222, sizeof file222},
    {"lib/table/cell-edits.js", file223, sizeof file223},
    {"lib/table/column-menu.js", file224, sizeof file224},
    {"lib/table/key-help.js", file225, sizeof file225},
    {"lib/table/nothing.js", file226, sizeof file226},
    {"lib/table/page.js", file227, sizeof file227},
    {"lib/table/row-menu.js", file228, sizeof file228},
    {"lib/table/table-rows.js", file229, sizeof file229},
    {"lib/table/table.js", file230, sizeof file230},
    {"lib/table/tabs.js", file231, sizeof file231},
    {"lib/table/toolbar.js", file232, sizeof file232},
    {"lib/times.js", file233, sizeof file233},
    {"lib/unsent/actions.js", file234, sizeof file234},
    {"lib/unsent/again.js", file235, sizeof file235},
    {"lib/unsent/cards.js", file236, sizeof file236},
    {"lib/unsent/files.js", file237, sizeof file237},
    {"lib/unsent/inbox.js", file238, sizeof file238},
    {"lib/unsent/look.js", file239, sizeof file239},
    {"lib/unsent/page.js", file240, sizeof file240},
    {"lib/unsent/reasons.js", file241, sizeof file241},
    {"lib/unsent/strip.js", file242, sizeof file242},
    {"lib/unsent/twice.js", file243, sizeof file243},
    {"lib/unsent/values.js", file244, sizeof file244},
    {"plan.css", file245, sizeof file245},
    {"rows.css", file246, sizeof file246},
    {"sheets.css", file247, sizeof file247},
    {"shell.css", file248, sizeof file248},
    {"style.css", file249, sizeof file249},
    {"tables.css", file250, sizeof file250},
    {"theme.js", file251, sizeof file251},
    {"tidemark/index.js", file252, sizeof file252},
    {"tidemark/lib/common/abort.js", file253, sizeof file253},
    {"tidemark/lib/common/caller.js", file254, sizeof file254},
    {"tidemark/lib/common/clock.js", file255, sizeof file255},
    {"tidemark/lib/common/device.js", file256, sizeof file256},
    {"tidemark/lib/common/digest.js", file257, sizeof file257},
    {"tidemark/lib/common/error.js", file258, sizeof file258},
    {"tidemark/lib/common/events.js", file259, sizeof file259},
    {"tidemark/lib/common/files/ahead.js", file260, sizeof file260},
    {"tidemark/lib/common/files/asked.js", file261, sizeof file261},
    {"tidemark/lib/common/files/named.js", file262, sizeof file262},
    {"tidemark/lib/common/files/readings.js", file263, sizeof file263},
    {"tidemark/lib/common/files/requests.js", file264, sizeof file264},
    {"tidemark/lib/common/files/sender.js", file265, sizeof file265},
    {"tidemark/lib/common/files/types.js", file266, sizeof file266},
    {"tidemark/lib/common/filter-text.js", file267, sizeof file267},
    {"tidemark/lib/common/foreground.js", file268, sizeof file268},
    {"tidemark/lib/common/held.js", file269, sizeof file269},
    {"tidemark/lib/common/jitter.js", file270, sizeof file270},
    {"tidemark/lib/common/listening.js", file271, sizeof file271},
    {"tidemark/lib/common/one-at-a-time.js", file272, sizeof file272},
    {"tidemark/lib/common/options.js", file273, sizeof file273},
    {"tidemark/lib/common/pages.js", file274, sizeof file274},
    {"tidemark/lib/common/part-filter.js", file275, sizeof file275},
    {"tidemark/lib/common/pattern/compiler.js", file276, sizeof file276},
    {"tidemark/lib/common/pattern/parser.js", file277, sizeof file277},
    {"tidemark/lib/common/pattern/pattern.js", file278, sizeof file278},
    {"tidemark/lib/common/pattern/sets.js", file279, sizeof file279},
    {"tidemark/lib/common/pulls.js", file280, sizeof file280},
    {"tidemark/lib/common/repeated.js", file281, sizeof file281},
    {"tidemark/lib/common/scope.js", file282, sizeof file282},
    {"tidemark/lib/common/stream.js", file283, sizeof file283},
    {"tidemark/lib/common/transport.js", file284, sizeof file284},
    {"tidemark/lib/common/trouble.js", file285, sizeof file285},
    {"tidemark/lib/common/uuid.js", file286, sizeof file286},
    {"tidemark/lib/common/values/doubts.js", file287, sizeof file287},
    {"tidemark/lib/common/values/formats.js", file288, sizeof file288},
    {"tidemark/lib/common/values/judge.js", file289, sizeof file289},
    {"tidemark/lib/common/values/judging.js", file290, sizeof file290},
    {"tidemark/lib/common/values/text.js", file291, sizeof file291},
    {"tidemark/lib/common/values/value.js", file292, sizeof file292},
    {"tidemark/lib/files/ahead-list.js", file293, sizeof file293},
    {"tidemark/lib/files/beside.js", file294, sizeof file294},
    {"tidemark/lib/files/bytes.js", file295, sizeof file295},
    {"tidemark/lib/files/copy-files.js", file296, sizeof file296},
    {"tidemark/lib/files/download.js", file297, sizeof file297},
    {"tidemark/lib/files/index.js", file298, sizeof file298},
    {"tidemark/lib/files/send-queue.js", file299, sizeof file299},
    {"tidemark/lib/files/sent-again.js", file300, sizeof file300},
    {"tidemark/lib/files/stored.js", file301, sizeof file301},
    {"tidemark/lib/indexes/answer.js", file302, sizeof file302},
    {"tidemark/lib/indexes/entries.js", file303, sizeof file303},
    {"tidemark/lib/indexes/index.js", file304, sizeof file304},
    {"tidemark/lib/indexes/keys.js", file305, sizeof file305},
    {"tidemark/lib/indexes/naming.js", file306, sizeof file306},
    {"tidemark/lib/indexes/plan.js", file307, sizeof file307},
    {"tidemark/lib/indexes/question.js", file308, sizeof file308},
    {"tidemark/lib/order/digits.js", file309, sizeof file309},
    {"tidemark/lib/order/index.js", file310, sizeof file310},
    {"tidemark/lib/order/key.js", file311, sizeof file311},
    {"tidemark/lib/order/placing.js", file312, sizeof file312},
    {"tidemark/lib/parts/index.js", file313, sizeof file313},
    {"tidemark/lib/parts/named.js", file314, sizeof file314},
    {"tidemark/lib/parts/outside.js", file315, sizeof file315},
    {"tidemark/lib/parts/part-asked.js", file316, sizeof file316},
    {"tidemark/lib/parts/stored.js", file317, sizeof file317},
    {"tidemark/lib/rows/answer.js", file318, sizeof file318},
    {"tidemark/lib/rows/order.js", file319, sizeof file319},
    {"tidemark/lib/rows/page.js", file320, sizeof file320},
    {"tidemark/lib/rows/record.js", file321, sizeof file321},
    {"tidemark/lib/rows/restored.js", file322, sizeof file322},
    {"tidemark/lib/rows/schema.js", file323, sizeof file323},
    {"tidemark/lib/rows/sent.js", file324, sizeof file324},
    {"tidemark/lib/rows/settlement.js", file325, sizeof file325},
    {"tidemark/lib/rows/values.js", file326, sizeof file326},
    {"tidemark/lib/schedule/days.js", file327, sizeof file327},
    {"tidemark/lib/schedule/followers.js", file328, sizeof file328},
    {"tidemark/lib/schedule/index.js", file329, sizeof file329},
    {"tidemark/lib/schedule/leaves.js", file330, sizeof file330},
    {"tidemark/lib/schedule/network.js", file331, sizeof file331},
    {"tidemark/lib/schedule/passes.js", file332, sizeof file332},
    {"tidemark/lib/schedule/schedule.js", file333, sizeof file333},
    {"tidemark/lib/schedule/working-days.js", file334, sizeof file334},
    {"tidemark/lib/store/apply.js", file335, sizeof file335},
    {"tidemark/lib/store/batches.js", file336, sizeof file336},
    {"tidemark/lib/store/change.js", file337, sizeof file337},
    {"tidemark/lib/store/database.js", file338, sizeof file338},
    {"tidemark/lib/store/drain-end.js", file339, sizeof file339},
    {"tidemark/lib/store/edit.js", file340, sizeof file340},
    {"tidemark/lib/store/files.js", file341, sizeof file341},
    {"tidemark/lib/store/forget.js", file342, sizeof file342},
    {"tidemark/lib/store/judging.js", file343, sizeof file343},
    {"tidemark/lib/store/kept.js", file344, sizeof file344},
    {"tidemark/lib/store/next-batch.js", file345, sizeof file345},
    {"tidemark/lib/store/owner.js", file346, sizeof file346},
    {"tidemark/lib/store/replica.js", file347, sizeof file347},
    {"tidemark/lib/store/rows.js", file348, sizeof file348},
    {"tidemark/lib/store/settle.js", file349, sizeof file349},
    {"tidemark/lib/store/state.js", file350, sizeof file350},
    {"tidemark/lib/store/transaction.js", file351, sizeof file351},
    {"tidemark/lib/store/unit.js", file352, sizeof file352},
    {"tidemark/lib/sync/inbox.js", file353, sizeof file353},
    {"tidemark/lib/sync/pull-loop.js", file354, sizeof file354},
    {"tidemark/lib/sync/push-loop.js", file355, sizeof file355},
    {"tidemark/lib/sync/syncer.js", file356, sizeof file356},
    {"tidemark/lib/sync/whole.js", file357, sizeof file357},
    {"tidemark/lib/window/client.js", file358, sizeof file358},
    {"tidemark/lib/window/copy-name.js", file359, sizeof file359},
    {"tidemark/lib/window/files.js", file360, sizeof file360},
    {"tidemark/lib/window/hub.js", file361, sizeof file361},
    {"tidemark/lib/window/leader.js", file362, sizeof file362},
    {"tidemark/lib/window/line.js", file363, sizeof file363},
    {"tidemark/lib/window/live.js", file364, sizeof file364},
    {"tidemark/lib/window/parts.js", file365, sizeof file365},
    {"tidemark/lib/window/sessions.js", file366, sizeof file366},
    {"tidemark/lib/window/status.js", file367, sizeof file367},
    {"tidemark/lib/window/tokens.js", file368, sizeof file368},
    {"tidemark/lib/window/windows.js", file369, sizeof file369},
    {"worker.js", file370, sizeof file370},
};

const struct console_file *console_files(void) { return files; }

size_t console_file_count(void) { return sizeof files / sizeof files[0]; }
