package sample

func bottom() int { return 2 }
