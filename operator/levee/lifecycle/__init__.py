"""Where a topology is in its life: a document of states and transitions, a pure machine that follows it, and a thin executor.

Why: whoever manages a topology may die at any moment. What is stored, when, and what recovery does with it stand in a document that can be
checked, drawn, and augmented with faults, and no code knows a state by its name.
Called by: `serve` (with handlers from `worlds.kubernetes`), `levee lifecycle`.
"""
