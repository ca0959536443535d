
local word = unknown()
if not word then
  error("no request has an unknown outcome")
end
return annotate("resolve", word)
