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
