"""`levee check`: would two replicas of this topology compute the same?"""
