-- Written by make argocd from config/argocd/lua: change it there.
local status = obj.status or {}

-- condition is the condition of a type; an empty one where the operator has not written it.
local function condition(name)
  for _, found in ipairs(status.conditions or {}) do
    if found.type == name then
      return found
    end
  end
  return {}
end

-- seen: what the status says is said of this spec, and not of the one before.
local seen = status.observedGeneration == obj.metadata.generation and condition("Ready").status ~= nil

-- requests are the newest requests: of each operation, or the only one.
local function requests()
  return status.requests or {status.request}
end

-- annotated reports whether a control annotation has this value already.
local function annotated(name, value)
  local annotations = obj.metadata.annotations or {}
  return annotations["wholesale.broadband/" .. name] == value
end

local function annotate(name, value)
  obj.metadata.annotations = obj.metadata.annotations or {}
  obj.metadata.annotations["wholesale.broadband/" .. name] = value
  return obj
end

-- plan is the hash of the plan of changes that waits for an approval; nil for none.
local function plan()
  if seen and status.pending and condition("ApprovalRequired").status == "True" then
    return status.pending.hash
  end
end

-- shown is the plan that the parameter hash of an action names, as its button shows it. Another price
-- makes another plan: nobody approves one that was not shown.
local function shown(hash, word)
  local named = actionParams and actionParams["hash"]
  if not hash then
    error("nothing waits to be " .. word, 0)
  end
  if not named or named == "" then
    error("the parameter hash names the plan of changes that is " .. word .. ", as its button shows it", 0)
  end
  if named ~= hash then
    error("the plan of changes that waits is " .. hash .. ", and not " .. named .. ": look at it again", 0)
  end
  return hash
end

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

local failed = failure()
if not failed then
  error("no request has failed that could be tried again")
end
return annotate("retry", failed)
