local actions = {}
