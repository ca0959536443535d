package sample

func middle() int { return bottom() + helper() }
