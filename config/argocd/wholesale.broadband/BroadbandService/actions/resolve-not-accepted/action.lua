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

-- annotated tells whether a control annotation has this value already.
local function annotated(name, value)
  local annotations = obj.metadata.annotations or {}
  return annotations["wholesale.broadband/" .. name] == value
end

local function annotate(name, value)
  obj.metadata.annotations = obj.metadata.annotations or {}
  obj.metadata.annotations["wholesale.broadband/" .. name] = value
  return obj
end

-- unknown is the attempt of which a person may say that the carrier does not have it; nil
-- for none. One that is overdue may be settled too, but not so: the carrier has taken it.
local function unknown()
  if not seen or condition("Stalled").status ~= "True" then
    return nil
  end
  for _, request in ipairs(requests()) do
    local dead = condition("Rejected").status == "True" and request.phase == "Succeeded"
    if request.phase == "OutcomeUnknown" or dead then
      return request.attemptID .. "=NotAccepted"
    end
  end
end

local word = unknown()
if not word then
  error("no request has an unknown outcome")
end
return annotate("resolve", word)
