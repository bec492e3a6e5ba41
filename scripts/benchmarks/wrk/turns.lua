-- The requests of a file in turn, as many clients send them: each line has a token, a space, and a path with its query.
-- Arguments: the file; how many milliseconds a connection waits between two requests on average, 0 for none.
dofile("get.lua")

local requests, turn, pause = {}, 0, 0

function init(arguments)
  pause = tonumber(arguments[2])
  math.randomseed(os.time())
  for line in io.lines(arguments[1]) do
    local token, path = line:match("^(%S+) (%S+)$")
    local headers = { ["Authorization"] = "Bearer " .. token }
    for name, value in pairs(wrk.headers) do headers[name] = headers[name] or value end
    table.insert(requests, wrk.format("GET", path, headers))
  end
  turn = math.random(#requests)
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

-- By chance, so that connections do not ask all at once.
function delay()
  return math.random(0, 2 * pause)
end
