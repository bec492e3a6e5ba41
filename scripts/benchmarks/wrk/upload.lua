-- Uploads of new tasks, each batch under a fresh id. Arguments: whether the ids of rows are "random" or "rising" with
-- time, as in UUIDs of versions 4 and 7; rows of a batch; then tokens, which take turns.
dofile("get.lua")

local rows, rises, tokens, turn, made = 1, false, {}, 0, 0

local function uuid()
  local random, word = math.random, 0xffff
  return string.format(
    "%04x%04x-%04x-4%03x-8%03x-%06x%06x", random(0, word), random(0, word), random(0, word), random(0, 0xfff),
    random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
end

local function rising()
  made = made + 1
  return string.format("%08x-%04x-7%03x-8%s", os.time(), math.floor(made / 4096) % 65536, made % 4096, uuid():sub(21))
end

local function task(index)
  return '{"id":"' .. (rises and rising() or uuid()) .. '","name":"Pour the foundation of hall ' .. index
    .. '","wbs_path":"1.4.' .. index .. '","status":"IN_PROGRESS","duration":5,"percent_complete":25,'
    .. '"notes":"Ask the surveyor for the final height first.","planned_start":"2026-03-02"}'
end

function init(arguments)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x%x+")) % 1000000)
  rises, rows = arguments[1] == "rising", tonumber(arguments[2])
  for index = 3, #arguments do tokens[index - 2] = arguments[index] end
end

function request()
  turn = turn + 1
  local tasks = {}
  for index = 1, rows do tasks[index] = task(index) end
  -- The adapter's modes and headers: clients/watermelondb/lib/sync.js and transport.js.
  local body = '{"client_batch_id":"' .. uuid() .. '","last_pulled_at":1,"encoding":"watermelondb",'
    .. '"on_conflict":"overwrite","on_error":"repair","changes":{"tasks":{"created":[' .. table.concat(tasks, ",")
    .. '],"updated":[],"deleted":[]}}}'
  local headers = {
    ["Accept"] = "application/json", ["Accept-Encoding"] = "gzip", ["User-Agent"] = "okhttp/4.12.0",
    ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. tokens[turn % #tokens + 1],
  }
  return wrk.format("POST", nil, headers, body)
end
