
local word = unknown()
actions["resolve-not-accepted"] = {
  disabled = not word or annotated("resolve", word),
  displayName = "The carrier does not have it: send it again",
  iconClass = "fa fa-fw fa-question",
}
