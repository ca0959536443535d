
local failed = failure()
if not failed then
  error("no request has failed that could be tried again")
end
return annotate("retry", failed)
