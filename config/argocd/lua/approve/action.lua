
local hash = plan()
if not hash then
  error("nothing waits for approval")
end
return annotate("approve", hash)
