
actions["reconcile"] = {
  disabled = obj.metadata.deletionTimestamp ~= nil,
  displayName = "Read the carrier's state now",
  iconClass = "fa fa-fw fa-sync",
}
