
-- plan is the hash of the plan of changes that waits for an approval; nil for none.
local function plan()
  if seen and status.pending and condition("ApprovalRequired").status == "True" then
    return status.pending.hash
  end
end
