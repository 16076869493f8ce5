"""Programs for engines: what each cell holds, who happens before whom, and that nothing waits for ever."""
