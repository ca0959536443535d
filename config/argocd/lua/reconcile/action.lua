
-- Each new value requests one more pass.
local os = require("os")
return annotate("reconcile", os.date("!%Y-%m-%dT%H:%M:%SZ"))
