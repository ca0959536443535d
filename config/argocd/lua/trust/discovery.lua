local guess = believable()
if actionParams then
  actions["trust"] = {
    disabled = not guess or annotated("trust", guess),
    displayName = "Believe the unknown values of " .. (guess or "(none is unknown)"),
    iconClass = "fa fa-fw fa-handshake",
    params = {{name = "hash"}},
  }
end
