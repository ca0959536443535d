
-- Its name is that of the plan: another price makes another one. Who approves says which plan was
-- seen, and so an Argo CD that passes no parameters to actions does not offer it.
local hash = plan()
if actionParams then
  actions["approve"] = {
    disabled = not hash or annotated("approve", hash),
    displayName = "Approve " .. (hash or "(nothing waits for approval)"),
    iconClass = "fa fa-fw fa-check",
    params = {{name = "hash"}},
  }
end
