-- believable is the same where the carrier's value of one of its changes is not known: the service may
-- have what is declared already.
local function believable()
  for _, change in ipairs(plan() and status.pending.changes or {}) do
    if change.unknown then
      return plan()
    end
  end
end
