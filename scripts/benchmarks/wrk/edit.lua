-- Edits of tasks, again and again, each batch under a fresh id. Arguments: a file with the ids of the tasks, one a
-- line; the field to edit, "notes", "status", or "mixed" for notes and every fourth time status as well; rows of a
-- batch; then tokens, which take turns.
dofile("get.lua")
local batch = dofile("batch.lua")

local states = { "IN_PROGRESS", "REVIEW", "COMPLETE", "ON_HOLD", "BACKLOG" }
local ids, tokens, turn, edited, field, rows = {}, {}, 0, 0, "notes", 1

local function row()
  edited = edited + 1
  -- A task gets another status each time that its turn comes.
  local status = '"status":"' .. states[(math.floor(edited / #ids) + edited) % #states + 1] .. '"'
  local notes = '"notes":"The surveyor has come, and leaves the final height, number ' .. edited .. '."'
  local moves = field == "status" or field == "mixed" and edited % 4 == 0
  local values = field == "status" and status or moves and notes .. "," .. status or notes
  local changed = field == "status" and "status" or moves and "notes,status" or "notes"
  return '{"id":"' .. ids[edited % #ids + 1] .. '",' .. values .. ',"_status":"updated","_changed":"' .. changed .. '"}'
end

function init(arguments)
  batch.seed()
  for id in io.lines(arguments[1]) do table.insert(ids, id) end
  field, rows = arguments[2], tonumber(arguments[3])
  for index = 4, #arguments do tokens[index - 3] = arguments[index] end
end

function request()
  local list = {}
  for index = 1, rows do list[index] = row() end
  turn = turn + 1
  return batch.request(
    tokens[turn % #tokens + 1], '{"tasks":{"created":[],"updated":[' .. table.concat(list, ",") .. '],"deleted":[]}}')
end
