-- What the scripts that upload share: ids, and a batch as the adapter sends it.
local batch = {}

function batch.seed()
  math.randomseed(os.time() + tonumber(tostring({}):match("0x%x+")) % 1000000)
end

function batch.uuid()
  local random, word = math.random, 0xffff
  return string.format(
    "%04x%04x-%04x-4%03x-8%03x-%06x%06x", random(0, word), random(0, word), random(0, word), random(0, 0xfff),
    random(0, 0xfff), random(0, 0xffffff), random(0, 0xffffff))
end

-- The adapter's modes and headers: clients/watermelondb/lib/sync.js and lib/common/transport.js.
function batch.request(token, changes)
  local body = '{"client_batch_id":"' .. batch.uuid() .. '","last_pulled_at":1,"encoding":"watermelondb",'
    .. '"on_conflict":"overwrite","on_error":"repair","changes":' .. changes .. "}"
  local headers = {
    ["Accept"] = "application/json", ["Accept-Encoding"] = "gzip", ["User-Agent"] = "okhttp/4.12.0",
    ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. token,
  }
  return wrk.format("POST", nil, headers, body)
end

return batch
