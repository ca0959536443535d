
-- refused tells whether a request ended in a failure that only a person repeats. An order
-- that the carrier once took, or that was given up, has used up its customerReference.
local function refused(request)
  if request.operation == "OrderCreate" then
    return request.phase == "Rejected"
  end
  return request.phase == "Rejected" or request.phase == "Failed" or request.phase == "Abandoned"
end

-- failure is the attempt that is to be made again, the one that failed last; nil for none. The
-- annotation names that attempt, and no other: whoever asks twice has it made once.
local function failure()
  if not seen or condition("Stalled").status ~= "True" then
    return nil
  end
  local newest = nil
  for _, request in ipairs(requests()) do
    if refused(request) and request.generation == obj.metadata.generation
        and (not newest or (request.finishedAt or "") > (newest.finishedAt or "")) then
      newest = request
    end
  end
  return newest and newest.attemptID
end
