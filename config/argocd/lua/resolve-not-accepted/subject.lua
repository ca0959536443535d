
-- unknown is the attempt that a person may resolve as NotAccepted; nil for none. An overdue
-- attempt cannot be resolved so: the carrier has accepted it.
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
