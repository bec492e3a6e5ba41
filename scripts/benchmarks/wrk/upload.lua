-- Uploads of new rows, each batch under a fresh id. Arguments: "random" or "rising" for tasks whose ids are random or
-- rise with time, as in UUIDs of versions 4 and 7, or "mixed" for rows of all collections that refer to each other,
-- with random ids; rows of a batch; then tokens, which take turns.
dofile("get.lua")

local batch = dofile("batch.lua")
local uuid = batch.uuid
local rows, rises, mixes, tokens, turn, made = 1, false, false, {}, 0, 0

local function rising()
  made = made + 1
  return string.format("%08x-%04x-7%03x-8%s", os.time(), math.floor(made / 4096) % 65536, made % 4096, uuid():sub(21))
end

local function task(index)
  return '{"id":"' .. (rises and rising() or uuid()) .. '","name":"Pour the foundation of hall ' .. index
    .. '","wbs_path":"1.4.' .. index .. '","status":"IN_PROGRESS","duration":5,"percent_complete":25,'
    .. '"notes":"Ask the surveyor for the final height first.","planned_start":"2026-03-02"}'
end

local function tasks()
  local list = {}
  for index = 1, rows do list[index] = task(index) end
  return '{"tasks":{"created":[' .. table.concat(list, ",") .. '],"updated":[],"deleted":[]}}'
end

-- A row of each of the eleven collections, about one task. Lists are texts in this encoding.
local kinds = {
  calendars = '{"id":"%s","name":"Night shift %d","working_days":96,"exceptions":"[]"}',
  sprints = '{"id":"%s","name":"Sprint %d","goal":"Dry walls","start_date":"2026-03-02","finish_date":"2026-03-13"}',
  risks = '{"id":"%s","title":"Rain %d","probability":3,"impact":2,"task_ids":"[\\"%s\\"]","description":"Cover it."}',
  sprint_retros = '{"id":"%s","notes":"Retro %d","sprint":"%s"}',
  retro_action_items = '{"id":"%s","text":"Order sooner %d","retro":"%s"}',
  task_suggested_assignees = '{"id":"%s","reason":"Knows hall %d","task":"%s","suggested_user":1}',
  task_links = '{"id":"%s","title":"Drawing %d","url":"https://example.org/d","task":"%s","labels":"[\\"plan\\"]"}',
  task_recurrence_rules = '{"id":"%s","frequency":"DAILY","interval":%d,"task":"%s"}',
  time_entries = '{"id":"%s","note":"Shift %d","minutes":30,"entry_date":"2026-03-02","task":"%s"}',
}

local function mixed()
  local lists, before = { tasks = {}, dependencies = {} }, nil
  for name in pairs(kinds) do lists[name] = {} end
  for index = 1, math.floor(rows / 11) do
    local id, sprint, retro = uuid(), uuid(), uuid()
    local targets = { sprint_retros = sprint, retro_action_items = retro }
    local ids = { sprints = sprint, sprint_retros = retro }
    lists.tasks[index] = task(index):gsub('"id":"[^"]*"', '"id":"' .. id .. '"', 1)
    if before then
      local link = '{"id":"' .. uuid() .. '","predecessor":"' .. before .. '","successor":"' .. id .. '","lag":1}'
      table.insert(lists.dependencies, link)
    end
    before = id
    for name, form in pairs(kinds) do
      lists[name][index] = string.format(form, ids[name] or uuid(), index, targets[name] or id)
    end
  end
  local changes = {}
  for name, list in pairs(lists) do
    table.insert(changes, '"' .. name .. '":{"created":[' .. table.concat(list, ",") .. '],"updated":[],"deleted":[]}')
  end
  return "{" .. table.concat(changes, ",") .. "}"
end

function init(arguments)
  batch.seed()
  rises, mixes, rows = arguments[1] == "rising", arguments[1] == "mixed", tonumber(arguments[2])
  for index = 3, #arguments do tokens[index - 2] = arguments[index] end
end

function request()
  turn = turn + 1
  return batch.request(tokens[turn % #tokens + 1], mixes and mixed() or tasks())
end
