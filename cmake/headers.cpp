// Headers that are compiled once belong to a target, and a target has a source.
