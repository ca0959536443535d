
-- refused tells whether a request ended in a failure that only a person repeats. An order
-- that the carrier once took, or that was given up, has used up its customerReference.
local function refused(request)
  if request.operation == "OrderCreate" then
    return request.phase == "Rejected"
  end
  return request.phase == "Rejected" or request.phase == "Failed" or request.phase == "Abandoned"
end

-- failure is the attempt that is to be made again; nil for none. The attempt names the
-- retry: whoever asks twice has it made once.
local function failure()
  if not seen or condition("Stalled").status ~= "True" then
    return nil
  end
  for _, request in ipairs(requests()) do
    if refused(request) and request.generation == obj.metadata.generation then
      return request.attemptID
    end
  end
end
