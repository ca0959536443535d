-- Ready, Reconciling and Stalled follow kstatus, for every kind alike. The message is the
-- operator's own: what the carrier refused begins with the carrier's sub-error code.
local ready = condition("Ready")

if not seen then
  return {status = "Progressing", message = "the operator has not reconciled this generation yet"}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message}
end
if condition("Stalled").status == "True" then
  return {status = "Degraded", message = ready.message}
end
if condition("Reconciling").status == "True" then
  return {status = "Progressing", message = ready.message}
end
-- Neither: it is configured to wait, by Plan, suspend, approval or --submit=false.
return {status = "Suspended", message = ready.message}
