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

-- Ready, Reconciling and Stalled follow kstatus, for every kind alike. The message is the
-- operator's own: what the carrier refused begins with the carrier's sub-error code.
local ready = condition("Ready")

if not seen then
  return {status = "Progressing", message = "the operator has not reconciled this generation yet"}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message}
end
if condition("Stalled").status == "True" then
  return {status = "Degraded", message = ready.message}
end
if condition("Reconciling").status == "True" then
  return {status = "Progressing", message = ready.message}
end
-- Neither: it is configured to wait, by Plan, suspend, approval or --submit=false.
return {status = "Suspended", message = ready.message}
