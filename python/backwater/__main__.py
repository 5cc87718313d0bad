"""`python -m backwater`."""

from backwater.cli import entry

if __name__ == "__main__":
    entry()
