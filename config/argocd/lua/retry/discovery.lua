
local failed = failure()
actions["retry"] = {
  disabled = not failed or annotated("retry", failed),
  displayName = "Try the same once more",
  iconClass = "fa fa-fw fa-redo",
}
