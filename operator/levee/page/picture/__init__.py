"""The picture: all that the page shows of a topology, as one value that JSON can hold. Pure.

Called by: page's users, who make a View of what they know.
"""
