
-- requests are the newest requests: of each operation, or the only one.
local function requests()
  return status.requests or {status.request}
end

-- annotated tells whether a control annotation has this value already.
local function annotated(name, value)
  local annotations = obj.metadata.annotations or {}
  return annotations["wholesale.broadband/" .. name] == value
end

local function annotate(name, value)
  obj.metadata.annotations = obj.metadata.annotations or {}
  obj.metadata.annotations["wholesale.broadband/" .. name] = value
  return obj
end
