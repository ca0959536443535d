return annotate("trust", shown(believable(), "believed"))
