"""The claims about a mapping or a lowered program, generated here and discharged by `isamap_encodings`."""
