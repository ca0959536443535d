return annotate("approve", shown(plan(), "approved"))
