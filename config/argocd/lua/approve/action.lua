
local hash, shown = plan(), actionParams and actionParams["hash"]
if not hash then
  error("nothing waits for approval", 0)
end
if not shown or shown == "" then
  error("the parameter hash names the plan of changes that is approved, as its button shows it", 0)
end
if shown ~= hash then
  error("the plan of changes that waits for approval is " .. hash .. ", and not " .. shown .. ": look at it again", 0)
end
return annotate("approve", hash)
