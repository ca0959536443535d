
-- refused reports whether a request ended in a failure that is not repeated automatically. An
-- order that was once accepted, or that was abandoned, has used its customerReference. A query that
-- was not processed is repeated, until the reason of Ready says that this was in vain.
local function refused(request)
  if request.operation == "OrderCreate" then
    return request.phase == "Rejected"
  end
  if request.phase == "NotProcessed" then
    return condition("Ready").reason == "Unanswered"
  end
  return request.phase == "Rejected" or request.phase == "Failed" or request.phase == "Abandoned"
end

-- differs reports whether a change has succeeded with another value than requested, so that nothing
-- is sent before a person has decided, whatever the generation.
local function differs(request)
  return request.operation ~= "OrderCreate" and request.phase == "Succeeded"
      and condition("Ready").reason == "ResultDiffers"
      and request.error ~= nil and request.error.code == "ResultDiffers"
end

-- failure is the attempt that failed last and can be retried; nil for none. The annotation names
-- that attempt: a second click does not retry it twice.
local function failure()
  if not seen or condition("Stalled").status ~= "True" then
    return nil
  end
  local newest = nil
  for _, request in ipairs(requests()) do
    local failed = refused(request) and request.generation == obj.metadata.generation
    if (failed or differs(request))
        and (not newest or (request.finishedAt or "") > (newest.finishedAt or "")) then
      newest = request
    end
  end
  return newest and newest.attemptID
end
