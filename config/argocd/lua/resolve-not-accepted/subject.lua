
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
