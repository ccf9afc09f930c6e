"""The page: a topology as a live graph in a browser. What it shows is one JSON value, the picture; what draws it is one HTML file.

Called by: serve and the command line, which know what is to be shown.
"""
