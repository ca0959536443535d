
-- Its name is that of the plan: another price makes another one.
local hash = plan()
actions["approve"] = {
  disabled = not hash or annotated("approve", hash),
  displayName = "Approve " .. (hash or "(nothing waits for approval)"),
  iconClass = "fa fa-fw fa-check",
}
