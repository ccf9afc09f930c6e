"""What each level of guarantee costs: `levee plan --frontier`."""
