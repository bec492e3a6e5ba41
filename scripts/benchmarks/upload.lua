-- Uploads of new tasks, each batch under a fresh id. Arguments: rows of a batch, then tokens, which take turns.
dofile("get.lua")

local rows, tokens, turn = 1, {}, 0

local function uuid()
  local random, word = math.random, 0xffff
  return string.format(
    "%04x%04x-%04x-4%03x-8%03x-%06x%06x", random(0, word), random(0, word), random(0, word), random(0, 0xfff),
    random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
end

local function task(index)
  return '{"id":"' .. uuid() .. '","name":"Pour the foundation of hall ' .. index
    .. '","wbs_path":"1.4.' .. index .. '","status":"IN_PROGRESS","duration":5,"percent_complete":25,'
    .. '"notes":"Ask the surveyor for the final height first.","planned_start":"2026-03-02"}'
end

function init(arguments)
  math.randomseed(os.time() + tonumber(tostring({}):match("0x%x+")) % 1000000)
  rows = tonumber(arguments[1])
  for index = 2, #arguments do tokens[index - 1] = arguments[index] end
end

function request()
  turn = turn + 1
  local tasks = {}
  for index = 1, rows do tasks[index] = task(index) end
  local body = '{"client_batch_id":"' .. uuid() .. '","changes":{"tasks":{"created":[' .. table.concat(tasks, ",")
    .. '],"updated":[],"deleted":[]}}}'
  local headers = {
    ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. tokens[turn % #tokens + 1],
  }
  return wrk.format("POST", nil, headers, body)
end
