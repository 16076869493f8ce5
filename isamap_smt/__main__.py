"""python -m isamap_smt: the command line."""

from isamap_smt.cli import main

if __name__ == "__main__":
    main()
